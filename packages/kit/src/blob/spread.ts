/**
 * Content that arrives in pieces and is too large to be moved afterwards. It stays spread over objects of one size, and
 * its key marks it as spread; the key alone determines the object of each byte.
 * A writer may take over from one that is presumed dead but still writes. Each writer therefore has a turn with objects
 * that no other writer touches, and the key records the first part of each turn.
 */

/** Size in bytes of every part but the last. */
export const spreadBytes = 8 * 1024 * 1024

const spread = /^(.+\.parts)((?:\/\d+\.\d+)*)$/
const whole = /^(.+?)(?:\.(\d+))?$/

/** Writer of the part `first` and the following parts, up to the first part of the next turn. */
interface Turn {
  first: number
  turn: number
}

interface Spread {
  folder: string
  turns: Turn[]
}

/**
 * Returns the key of content of `length` bytes.
 * @param base a key without dots that is not a prefix of other keys
 */
export const spreadKey = (base: string, length: number): string =>
  length > spreadBytes ? `${base}.parts` : base

/** Returns the index of the part that contains the byte at `offset`. */
export const partAt = (offset: number): number => Math.floor(offset / spreadBytes)

/** Returns the key of the object that contains a part. */
export function partKey(key: string, index: number): string {
  const found = read(key)
  if (!found) return key
  const { turn } = found.turns.findLast(({ first }) => first <= index) ?? firstTurn
  return `${found.folder}/${turn}-${index}`
}

const firstTurn: Turn = { first: 0, turn: 0 }

/**
 * Returns the key of the content for a writer that continues at `offset` while the former writer may still be running.
 */
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

/** Returns the name that stands for all objects of the content in a registry: its key, or a prefix. */
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

export interface SpreadRange {
  key: string
  /** Byte range within the object; `end` is exclusive. */
  start: number
  end: number
}

/**
 * Yields the objects that contain the bytes from `start` up to but not including `end` of the content, in order.
 * Content that is not spread is one object.
 */
export function* locateRange(
  key: string,
  { start, end }: { start: number; end: number },
): Generator<SpreadRange> {
  if (!read(key)) return yield { key, start, end }
  for (let at = start; at < end; ) {
    const index = partAt(at)
    const first = index * spreadBytes
    const stop = Math.min(end, first + spreadBytes)
    yield { key: partKey(key, index), start: at - first, end: stop - first }
    at = stop
  }
}
