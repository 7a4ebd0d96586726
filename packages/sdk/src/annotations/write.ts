import type { SetItemChange } from './items.ts'

/** Annotation sets as bytes, item by item. */

/** What is written is handed on in pieces of about so many characters. */
const pieceChars = 64 * 1024

/**
 * Writes a set as its items come, list by list: the lists may come in any order, the items of one without those of another
 * between them.
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
