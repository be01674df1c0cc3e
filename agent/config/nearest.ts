/**
 * Length of the longest word that is compared. A longer word is hardly a typing error, and its comparison would take
 * time.
 */
const maxLength = 64;

/** Returns the candidate that a word was probably meant to be; null if no candidate is similar. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > maxLength) return null;
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    const tolerated = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (distance <= tolerated && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Returns the number of letters that have to be added, removed, replaced or swapped with their neighbour to convert one
 * word into the other.
 */
export function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (older[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    older = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
