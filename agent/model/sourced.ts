/** A value and where it came from: `ovn.yaml:3`, `default`, `eth0`, …; messages and `config show` print the source. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}
