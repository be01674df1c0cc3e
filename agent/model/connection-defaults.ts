/**
 * A section of NetworkManager's configuration with defaults of connection properties (NetworkManager.conf(5),
 * CONNECTION SECTION).
 */
export interface DefaultsSection {
  /** Section name, such as `connection-eth`. */
  readonly section: string;
  /** Device list in NetworkManager's notation (`match-device`); null if the section is for all devices. */
  readonly matchDevice: readonly string[] | null;
  /** True if no later section is read for a device that matches (`stop-match`). */
  readonly stopMatch: boolean;
  /** Default and the file that sets it, by property name (`ipv4.dns-priority`). */
  readonly values: Readonly<Record<string, { readonly value: string; readonly file: string }>>;
}
