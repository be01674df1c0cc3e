/** True for 0.0.0.0/0 and ::/0. */
export function isDefault(destination: string): boolean {
  return destination === '0.0.0.0/0' || destination === '::/0';
}
