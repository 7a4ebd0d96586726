/** Answers of servers as examples that stay the same from run to run, and how they are compared. */

/** Limits of examples; longer lists and texts are cut. */
const most = { things: 2, numbers: 12, characters: 400 }

/** Replaces values that differ in each run: times, ids of requests, tokens and addresses of servers. */
export function normalizeValue(value: unknown, server: string): unknown {
  if (typeof value === 'string')
    return stableText(value.replaceAll(server, 'http://127.0.0.1:8080'))
  if (Array.isArray(value)) {
    const isOfNumbers = value.every((one) => typeof one === 'number')
    const some = value.slice(0, isOfNumbers ? most.numbers : most.things)
    return some.map((one) => normalizeValue(one, server))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, normalizeValue(one, server)]),
  )
}

function stableText(text: string): string {
  return text
    .slice(0, most.characters)
    .replace(/127\.0\.0\.1(:|%3A)(?!8080)\d+/g, '127.0.0.1$19000')
    .replace(
      /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?/g,
      (_, part = '') => `2026-04-01T12:00:00${part && '.000'}`,
    )
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '00000000-0000-4000-8000-000000000000')
    .replace(/[\w-]{32,}/g, (token) =>
      /\d/.test(token) && !token.startsWith('00000000-')
        ? token.replace(/[\da-zA-Z]/g, '0')
        : token,
    )
}

/** Whether both have the same fields of the same types, wherever neither is empty. */
export function isLike(a: unknown, b: unknown): boolean {
  if (a === null || b === null) return true
  if (Array.isArray(a) && Array.isArray(b))
    return b.length === 0 || a.every((one) => b.some((other) => isLike(one, other)))
  if (typeof a !== 'object' || typeof b !== 'object') return typeof a === typeof b
  if (Array.isArray(a) || Array.isArray(b)) return false
  const [ofA, ofB] = [Object.entries(a), new Map(Object.entries(b))]
  return (
    ofA.length === ofB.size && ofA.every(([key, one]) => ofB.has(key) && isLike(one, ofB.get(key)))
  )
}

/**
 * Returns the text of the examples, one in a line, by name. An example stays as long as a server still answers like
 * that; otherwise the fullest current answer replaces it.
 */
export function formatExamples(
  before: Record<string, unknown>,
  now: Map<string, unknown[]>,
  server: string,
): string {
  const lines = [...now]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, values]) => {
      const made = values.map((one) => normalizeValue(one, server))
      const old = before[name]
      const stays = old !== undefined && made.some((one) => isLike(old, one))
      const fullest = made
        .map((one) => JSON.stringify(one))
        .reduce((a, b) => (b.length > a.length ? b : a))
      return `${JSON.stringify(name)}: ${stays ? JSON.stringify(old) : fullest}`
    })
  return `{\n${lines.join(',\n')}\n}\n`
}
