/**
 * Returns the lines in which two texts differ, in the order of the texts. A line that only the first text has begins
 * with `- `, and a line that only the second text has with `+ `.
 */
export function changedLines(before: string, after: string): string[] {
  const [from, to] = [before.split('\n'), after.split('\n')];
  const common = commonLengths(from, to);
  const changes: string[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    const [left, right] = [from[i], to[j]];
    if (left !== undefined && left === right) {
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(common, i + 1, j) >= at(common, i, j + 1))) {
      changes.push(`- ${left}`);
      i += 1;
    } else {
      changes.push(`+ ${right}`);
      j += 1;
    }
  }
  return changes;
}

/**
 * Returns a table of lengths. The element [i][j] is the length of the longest common subsequence of the lines from
 * position i to the end of the first text and the lines from position j to the end of the second.
 */
function commonLengths(from: readonly string[], to: readonly string[]): number[][] {
  const lengths = Array.from({ length: from.length + 1 }, () => new Array<number>(to.length + 1).fill(0));
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? [];
      row[j] =
        from[i] === to[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
