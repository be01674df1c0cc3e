/** `completion`: the completion script of a shell. */
export interface CompletionDocument {
  readonly command: 'completion';
  readonly outcome: 'shown';
  /** Name of the shell. */
  readonly shellName: 'bash' | 'fish' | 'zsh';
  readonly script: string;
}

/** Returns the document of `completion`. */
export function completionDocument(shellName: CompletionDocument['shellName'], script: string): CompletionDocument {
  return { command: 'completion', outcome: 'shown', shellName, script };
}
