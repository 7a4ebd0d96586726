import { UnexpectedAnswer } from '../responses/errors.ts'
import type { SetItem } from './items.ts'

/** Streaming reader of annotation sets of any size. Only the current object is in memory. */

/**
 * Yields the objects of a set, in the order of its JSON.
 *
 * @throws UnexpectedAnswer for an invalid or incomplete set, and errors of reading `pieces`
 */
export async function* setItems(
  operation: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<SetItem, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const cutter = openCutter()
  for await (const piece of pieces)
    for (const { list, text } of cutter.cut(decoded(operation, decoder, piece)))
      if (isKind(list)) yield { kind: list, object: parsed(operation, text) }
  if (!cutter.isWhole()) throw new UnexpectedAnswer(operation, 'an annotation set that breaks off')
}

const isKind = (list: string): list is SetItem['kind'] => /^(?:tags|shapes|tracks)$/.test(list)

function decoded(
  operation: string,
  decoder: InstanceType<typeof TextDecoder>,
  piece: Uint8Array,
): string {
  try {
    return decoder.decode(piece, { stream: true })
  } catch (thrown) {
    throw new UnexpectedAnswer(operation, 'an annotation set that is not UTF-8', thrown)
  }
}

function parsed(operation: string, text: string) {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new UnexpectedAnswer(operation, 'an annotation set that is not JSON', thrown)
  }
}

const marks = /["{}[\]]/g
/** Depth of the elements of a set: inside an object, inside a list. */
const elementDepth = 3

/** Creates a reader that cuts the elements of the lists of one object out of its text. */
function openCutter() {
  let text = '' // text that is not cut yet
  let at = 0 // position in it up to which it has been read
  let start = -1 // start of the current element, or -1
  let depth = 0
  let list = ''
  let isBegun = false

  /** Handles a bracket; returns the element that ends with it. */
  function step(mark: string, index: number): string | undefined {
    at = index + 1
    isBegun = true
    if (mark === '{' || mark === '[') {
      depth += 1
      if (depth === elementDepth) start = index
      return undefined
    }
    depth -= 1
    if (depth !== elementDepth - 1) return undefined
    const element = text.slice(start, at)
    start = -1
    return element
  }

  /** Skips a string. Only names of lists are kept. */
  function skipString(index: number): boolean {
    const end = endOfString(text, index)
    if (end < 0) return false
    if (depth === 1) list = text.slice(index + 1, end)
    at = end + 1
    return true
  }

  /** Returns the next bracket outside strings; undefined when more text is needed. */
  function next(): RegExpExecArray | undefined {
    for (;;) {
      marks.lastIndex = at
      const found = marks.exec(text)
      at = found?.index ?? text.length
      if (found?.[0] !== '"') return found ?? undefined
      if (!skipString(found.index)) return undefined
    }
  }

  /** Drops the text that has been cut. */
  function drop(): void {
    const done = start < 0 ? at : start
    text = text.slice(done)
    at -= done
    start = start < 0 ? -1 : 0
  }

  return {
    *cut(more: string): Generator<{ list: string; text: string }> {
      text += more
      for (let mark = next(); mark; mark = next()) {
        const element = step(mark[0], mark.index)
        if (element !== undefined) yield { list, text: element }
      }
      drop()
    },
    isWhole: () => isBegun && depth === 0 && start < 0,
  }
}

/** Returns the index of the closing quote; -1 when it has not arrived yet. */
function endOfString(text: string, index: number): number {
  for (let end = text.indexOf('"', index + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text[before - 1] === '\\') before -= 1
    if ((end - before) % 2 === 0) return end
  }
  return -1
}
