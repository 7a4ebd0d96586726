import { createScanner, type RootMember, type Scanner } from '@reticle/formats/json/scan'
import { FormatError } from '@reticle/formats/report/errors'

/** Member of one object of the list, with the index of that object. */
export interface SetMember {
  set: number
  member: RootMember
}

/** Name of the document, and limit of its objects. */
export interface Sets {
  file: string
  most: number
}

interface State {
  /** Whether an object is open. */
  isInside: boolean
  /** Number of its open brackets. */
  depth: number
  isInText: boolean
  isEscaped: boolean
  /** Token that may come next in the list. */
  expects: 'list' | 'object or end' | 'object' | 'comma or end' | 'nothing'
  set: number
  scanner: Scanner
}

const code = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

/**
 * Splits a document that is a list of objects into the members of the objects, which may be of any size.
 *
 * @throws FormatError for another document, ScanError for a fault inside an object
 */
export async function* splitSets(
  pieces: AsyncIterable<Uint8Array>,
  sets: Sets,
): AsyncGenerator<SetMember> {
  const state: State = {
    isInside: false,
    depth: 0,
    isInText: false,
    isEscaped: false,
    expects: 'list',
    set: -1,
    scanner: createScanner(),
  }
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      if (!state.isInside) {
        from = findObject(state, piece, from, sets)
        continue
      }
      const to = endOfObject(state, piece, from)
      for (const member of state.scanner.feed(piece.subarray(from, to)))
        yield { set: state.set, member }
      if (!state.isInside) state.scanner.end()
      from = to
    }
  }
  if (state.expects !== 'nothing')
    throw new FormatError('the text ends too early', { file: sets.file })
}

/**
 * Finds the next object.
 *
 * @returns its start, or the end of the piece
 */
function findObject(state: State, piece: Uint8Array, from: number, { file, most }: Sets): number {
  for (let at = from; at < piece.length; at++) {
    const byte = piece[at] ?? 0
    if (byte <= 0x20) continue
    if (byte === code.openObject && state.expects.startsWith('object')) {
      state.isInside = true
      state.expects = 'comma or end'
      state.set += 1
      if (state.set >= most)
        throw new FormatError(`there are more sets than the ${most} jobs`, { file })
      state.scanner = createScanner()
      return at
    }
    step(state, byte, file)
  }
  return piece.length
}

function step(state: State, byte: number, file: string): void {
  const { expects } = state
  if (byte === code.openList && expects === 'list') state.expects = 'object or end'
  else if (byte === code.comma && expects === 'comma or end') state.expects = 'object'
  else if (byte === code.closeList && expects.endsWith('or end')) state.expects = 'nothing'
  else throw new FormatError('a list of sets is expected, each of them an object', { file })
}

/**
 * Finds the end of an object.
 *
 * @returns the position after it, or the end of the piece
 */
function endOfObject(state: State, piece: Uint8Array, from: number): number {
  for (let at = from; at < piece.length; at++) {
    const byte = piece[at] ?? 0
    if (state.isInText) walkText(state, byte)
    else if (byte === code.quote) state.isInText = true
    else state.depth += depthOf[byte] ?? 0
    if (state.depth > 0) continue
    state.isInside = false
    return at + 1
  }
  return piece.length
}

function walkText(state: State, byte: number): void {
  if (state.isEscaped) state.isEscaped = false
  else if (byte === code.backslash) state.isEscaped = true
  else if (byte === code.quote) state.isInText = false
}

/** Change of the bracket depth by a byte. */
const depthOf = new Int8Array(256)
depthOf[code.openObject] = 1
depthOf[code.openList] = 1
depthOf[code.closeObject] = -1
depthOf[code.closeList] = -1
