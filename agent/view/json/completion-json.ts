/** `completion`: the completion script of a shell. */
export interface CompletionDocument {
  readonly command: 'completion';
  readonly outcome: 'shown';
  readonly shell: 'bash' | 'fish' | 'zsh';
  readonly script: string;
}

/** Returns the document of `completion`. */
export function completionDocument(shell: CompletionDocument['shell'], script: string): CompletionDocument {
  return { command: 'completion', outcome: 'shown', shell, script };
}
