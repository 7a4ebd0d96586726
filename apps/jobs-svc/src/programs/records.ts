import { cutInto } from './pieces.ts'

/**
 * What a program of ours writes: records after one another, each a head and its bytes. Numbers are of this machine's byte order,
 * since both ends run on it. `end` is the last, or `failed` with the reason.
 */
export interface Answer<Kind extends string> {
  kind: Kind
  /** One that belongs to it, a time for instance. */
  number: number
  bytes: Buffer
}

export interface Codec<Kind extends string> {
  encodeHead: (kind: Kind, length: number, number?: number) => Uint8Array
  decodeHead: (head: Uint8Array) => { kind: Kind | undefined; length: number; number: number }
}

/** Bytes of a head: kind and length of what follows, a number. */
const headBytes = 16

/** A kind travels as its place in the list. */
export const codecOf = <Kind extends string>(kinds: readonly Kind[]): Codec<Kind> => ({
  encodeHead: (kind, length, number = 0) => {
    const head = new ArrayBuffer(headBytes)
    new Uint32Array(head, 0, 2).set([kinds.indexOf(kind), length])
    new Float64Array(head, 8, 1).set([number])
    return new Uint8Array(head)
  },
  decodeHead: (head) => {
    const { buffer } = Uint8Array.from(head)
    const [kind = -1, length = 0] = new Uint32Array(buffer, 0, 2)
    const [number = 0] = new Float64Array(buffer, 8, 1)
    return { kind: kinds[kind], length, number }
  },
})

export interface Reading<Kind extends string> {
  codec: Codec<Kind>
  /** Of one record: the program may be in the hands of who sent the file. */
  mostBytes: number
  /** What is thrown for an answer that makes no sense. */
  unreadable: (why: string) => Error
}

/** The records up to `end`. */
export async function* readRecords<Kind extends string>(
  pieces: AsyncIterator<Buffer>,
  { codec, mostBytes, unreadable }: Reading<Kind>,
): AsyncGenerator<Answer<Kind>> {
  const read = cutInto(pieces)
  for (let head = await read(headBytes); head; head = await read(headBytes)) {
    const { kind, length, number } = codec.decodeHead(head)
    if (kind === 'end') return
    const bytes = length <= mostBytes ? await read(length) : undefined
    if (kind === undefined || !bytes) throw unreadable(`${kind}, ${length} bytes`)
    yield { kind, number, bytes }
  }
  throw unreadable('the answer ends too soon')
}
