/** A section of NetworkManager's configuration with defaults of connection properties (NetworkManager.conf(5), CONNECTION SECTION). */
export interface DefaultsSection {
  /** `connection-eth` */
  readonly section: string;
  /** Which devices it is for, as it says it; null: all. */
  readonly matchDevice: readonly string[] | null;
  /** No later section is asked for a device that matches. */
  readonly stopMatch: boolean;
  /** By property, `ipv4.dns-priority`, and the file that says it. */
  readonly values: Readonly<Record<string, { readonly value: string; readonly file: string }>>;
}
