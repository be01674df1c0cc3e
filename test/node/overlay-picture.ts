/** Node of the cluster, as in `overlay nodes --output json`. */
export interface Drawn {
  readonly name: string;
  readonly state: string;
  readonly subnets: readonly string[];
  readonly addresses: readonly string[];
  readonly gateway: { readonly bridge: string; readonly addresses: readonly string[]; readonly isUp: boolean } | null;
}

/** Draws the LAN, below it a box for each node with its gateway, and the tunnels between all of them. */
export function picture(nodes: readonly Drawn[]): string {
  const boxes = nodes.map(boxOf);
  const height = Math.max(...boxes.map((box) => box.length));
  const width = Math.max(...boxes.flat().map((line) => line.length));
  const rows = Array.from({ length: height }, (_, row) =>
    boxes.map((box) => `│ ${(box[row] ?? '').padEnd(width)} │`).join('   '),
  );
  const edge = (left: string, middle: string, right: string): string =>
    nodes.map(() => left + middle.padStart(Math.ceil(width / 2) + 1, '─').padEnd(width + 2, '─') + right).join('   ');
  const stems = nodes.map(
    () => `${' '.repeat(Math.ceil(width / 2) + 1)}│${' '.repeat(width + 2 - Math.ceil(width / 2))}`,
  );
  const whole = nodes.length * (width + 4) + (nodes.length - 1) * 3;
  const bar = (text: string, line: string): string => {
    const label = ` ${text} `;
    const left = Math.floor((whole - label.length) / 2);
    return line.repeat(left) + label + line.repeat(whole - label.length - left);
  };
  return [
    bar('LAN', '═'),
    stems.join('   '),
    edge('┌', '┴', '┐'),
    ...rows,
    edge('└', '┬', '┘'),
    stems.join('   '),
    bar('tunnels', '┄'),
  ]
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n');
}

function boxOf({ name, state, subnets, addresses, gateway }: Drawn): string[] {
  return [
    `${name} (${state})`,
    `LAN     ${addresses.join(' ') || '-'}`,
    `subnet  ${subnets.join(' ') || '-'}`,
    gateway === null ? 'no gateway' : `gateway ${gateway.bridge}${gateway.isUp ? '' : ', down'}`,
  ];
}
