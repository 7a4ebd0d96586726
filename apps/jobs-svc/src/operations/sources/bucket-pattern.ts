/**
 * Creates the test of a `filename_pattern`: `*` matches any characters including `/`, `?` matches one, `[abc]` and
 * `[a-z]` match one of the set, `[!abc]` one outside the set. The whole key has to match. The number of steps is at
 * most the product of both lengths.
 */
export function patternOf(pattern: string): (key: string) => boolean {
  const parts = partsOf([...pattern])
  return (key) => fits(parts, [...key])
}

type Part = '*' | ((character: string) => boolean)

function partsOf(pattern: readonly string[]): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? ''
    const end = character === '[' ? endOfSet(pattern, at) : -1
    if (character === '*') parts.push('*')
    else if (character === '?') parts.push(() => true)
    else if (end < 0) parts.push((given) => given === character)
    else {
      parts.push(setOf(pattern.slice(at + 1, end)))
      at = end
    }
  }
  return parts
}

/** Returns the end of a set. A bracket at the first position is in the set; an unclosed one is literal. */
function endOfSet(pattern: readonly string[], start: number): number {
  const first = start + (pattern[start + 1] === '!' ? 2 : 1)
  return pattern.indexOf(']', first + 1)
}

function setOf(text: readonly string[]): Exclude<Part, '*'> {
  const isNot = text[0] === '!'
  const [single, ranges] = membersOf(isNot ? text.slice(1) : text)
  const has = (given: string) =>
    single.has(given) || ranges.some(([low, high]) => given >= low && given <= high)
  return (given) => has(given) !== isNot
}

function membersOf(text: readonly string[]): [Set<string>, [string, string][]] {
  const single = new Set<string>()
  const ranges: [string, string][] = []
  for (let at = 0; at < text.length; at++) {
    const [low = '', dash, high] = text.slice(at, at + 3)
    if (dash !== '-' || high === undefined) single.add(low)
    else {
      ranges.push([low, high])
      at += 2
    }
  }
  return [single, ranges]
}

/** Matches with a single backtracking position: a later star makes the match of an earlier one final. */
function fits(parts: readonly Part[], key: readonly string[]): boolean {
  let part = 0
  let star = -1
  let taken = 0
  for (let at = 0; at < key.length; ) {
    const now = parts[part]
    if (now === '*') {
      star = part++
      taken = at
    } else if (now?.(key[at] ?? '')) {
      part++
      at++
    } else if (star < 0) return false
    else {
      part = star + 1
      at = ++taken
    }
  }
  while (parts[part] === '*') part++
  return part === parts.length
}
