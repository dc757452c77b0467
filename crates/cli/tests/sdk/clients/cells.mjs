// What every client is tried on, and how it says what it showed. Arguments: address, dialect.

export const [ORIGIN, FACE] = process.argv.slice(2);
export const QUESTION = "Name three rivers of Portugal.";
export const WEATHER = "What is the weather in Porto?";
export const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
export const STEP = { type: "object", properties: { step: { type: "integer" } }, required: ["step"] };
export const LIMIT = 500;

/** JSON, the same however its members were spaced. */
export const compact = (value) => JSON.stringify(typeof value === "string" ? JSON.parse(value) : value);

export const called = (name, args) => `${name} ${compact(args)}`;

/** An error by the classes under which it can be caught, and its text. */
export function raised(error) {
  const classes = [];
  let kind = Object.getPrototypeOf(error);
  for (; kind && kind !== Error.prototype && kind !== Object.prototype; kind = Object.getPrototypeOf(kind)) {
    classes.push(kind.constructor.name);
  }
  return `raised ${classes.join(" < ") || error.name}: ${error.message}`;
}

/** Tries a cell; a text instead of a function says why there is nothing to try. */
async function show(cell, attempt) {
  let shown;
  try {
    shown = typeof attempt === "string" ? `- ${attempt}` : await attempt();
  } catch (error) {
    shown = raised(error);
  }
  console.log(JSON.stringify({ cell, shown: String(shown) }));
}

/** Tries each cell after the other. */
export async function run(cells) {
  for (const [cell, attempt] of Object.entries(cells)) await show(cell, attempt);
  await wait();
}

/** Tries all cells at once, and then the last. */
export async function runTogether(cells, last) {
  await Promise.all(cells.map(([cell, attempt]) => show(cell, attempt)));
  await show(...last);
  await wait();
}

/** Whoever counts connections does so while the client lives. */
async function wait() {
  console.log(JSON.stringify({ cell: "end", shown: "" }));
  for await (const _ of process.stdin);
  process.exit(0);
}
