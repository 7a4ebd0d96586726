import type { SetItemChange } from './items.ts'

/** Streaming writer of annotation sets. */

/** Approximate size of written pieces in characters. */
const pieceChars = 64 * 1024

/**
 * Writes a set item by item. Lists may come in any order, but all items of one list have to be consecutive.
 *
 * @throws TypeError for an item whose list has ended
 */
export async function* setBytes(
  items: AsyncIterable<SetItemChange> | Iterable<SetItemChange>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const begun = new Set<string>()
  let open = ''
  let text = '{'
  for await (const { kind, object } of items) {
    if (kind === open) text += ','
    else {
      if (begun.has(kind))
        throw new TypeError(`An item of ${kind} came after those of ${open}: send list by list.`)
      text += `${open === '' ? '' : '],'}"${kind}":[`
      begun.add(kind)
      open = kind
    }
    text += JSON.stringify(object)
    if (text.length < pieceChars) continue
    yield encoder.encode(text)
    text = ''
  }
  yield encoder.encode(`${text}${open === '' ? '' : ']'}}`)
}
