/**
 * Content that arrives piece by piece and is too large to be moved when all of it is there: it stays spread over objects of
 * one size, below a key that says so. Where a byte lies follows from the key alone.
 *
 * Objects are all that is shared by whoever writes such content after somebody who may still be at it. So each writer who
 * takes over has a turn of its own, whose objects nobody else writes, and the key tells from which part on its turn counts.
 */

/** Bytes of every part but the last. */
export const spreadBytes = 8 * 1024 * 1024

const spread = /^(.+\.parts)((?:\/\d+\.\d+)*)$/
const whole = /^(.+?)(?:\.(\d+))?$/

/** The part and later ones were written in that turn, up to the first of the next. */
interface Turn {
  first: number
  turn: number
}

interface Spread {
  folder: string
  turns: Turn[]
}

/** @param base a key without dots, below which nothing else lies */
export const spreadKey = (base: string, length: number): string =>
  length > spreadBytes ? `${base}.parts` : base

/** The part that holds the byte. */
export const partAt = (offset: number): number => Math.floor(offset / spreadBytes)

/** The object of a part. */
export function partKey(key: string, index: number): string {
  const found = read(key)
  if (!found) return key
  const { turn } = found.turns.findLast(({ first }) => first <= index) ?? firstTurn
  return `${found.folder}/${turn}-${index}`
}

const firstTurn: Turn = { first: 0, turn: 0 }

/** The key of the content for a writer who goes on at `offset`, while whoever wrote so far may not have ended. */
export function takenOver(key: string, offset: number): string {
  const found = read(key)
  if (!found) {
    const [, base, turn = '0'] = whole.exec(key) ?? []
    return `${base}.${Number(turn) + 1}`
  }
  const { folder, turns } = found
  const next = { first: partAt(offset), turn: (turns.at(-1) ?? firstTurn).turn + 1 }
  const counting = turns.filter(({ first }) => first < next.first)
  return [folder, ...[...counting, next].map(({ first, turn }) => `${first}.${turn}`)].join('/')
}

/** What stands for all objects of the content in a registry: its key, or a prefix. */
export function keyOfAll(key: string): string {
  const found = read(key)
  return found ? `${found.folder}/` : key
}

function read(key: string): Spread | undefined {
  const [, folder, map = ''] = spread.exec(key) ?? []
  if (folder === undefined) return undefined
  const turns = map.split('/').slice(1).map(readTurn)
  return { folder, turns }
}

function readTurn(text: string): Turn {
  const [first = 0, turn = 0] = text.split('.').map(Number)
  return { first, turn }
}

export interface SpreadPlace {
  key: string
  /** Of the object; `end` does not count. */
  start: number
  end: number
}

/** The objects that hold the bytes `start` up to `end` of the content of a key, in order. Those of other keys are one object. */
export function* placesOf(
  key: string,
  { start, end }: { start: number; end: number },
): Generator<SpreadPlace> {
  if (!read(key)) return yield { key, start, end }
  for (let at = start; at < end; ) {
    const index = partAt(at)
    const first = index * spreadBytes
    const stop = Math.min(end, first + spreadBytes)
    yield { key: partKey(key, index), start: at - first, end: stop - first }
    at = stop
  }
}
