import t from 'tap';
import { plain } from '../../../agent/view/style.ts';
import { drawTopology, observedTopology, plannedTopology } from '../../../agent/view/topology.ts';
import { equalsGolden } from '../golden-file.ts';
import { planOfCase, readCase } from '../plan/cases.ts';

const picture = 'docs/br-ex.svg';
/** Size of a character, in the units of the picture. */
const character = { width: 8.4, height: 20 };
const margin = 16;
/** Text alternative for readers who cannot see the picture. */
const description = 'A node before and after: eth0 becomes a port of br-ex, and br-ex has the addresses of the node';

t.test('the picture shows the drawing of the product', (t) => {
  const dhcp = readCase('dhcp');
  const plan = planOfCase(dhcp);
  const before = drawTopology(observedTopology(dhcp.observation), plain);
  const after = drawTopology(plannedTopology(plan, dhcp.observation), plain);
  const svg = svgOf([...panel('Before', before), ...panel('After', after)]);
  equalsGolden(t, picture, svg);
  t.end();
});

function panel(title: string, drawing: string): readonly string[] {
  return [title, ...drawing.trimEnd().split('\n'), ''];
}

/** Returns lines of text as an SVG with colours that are readable on light and dark pages. */
function svgOf(lines: readonly string[]): string {
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * character.width) + 2 * margin;
  const height = lines.length * character.height + margin;
  const rows = lines.map((line, index) => {
    const text = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<text x="${margin}" y="${(index + 1) * character.height + 4}" xml:space="preserve">${text}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${description}</title>`,
    `<rect width="${width}" height="${height}" rx="6" fill="#1c2128"/>`,
    '<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">',
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
