import { createPieceReader } from './pieces.ts'

/**
 * Output of our programs: a sequence of records, each a head and its bytes. Numbers are in native byte order, since
 * both ends run on the same machine. The last record is `end`, or `failed` with the reason.
 */
export interface ProgramRecord<Kind extends string> {
  kind: Kind
  /** Number of the record, for instance a time. */
  number: number
  bytes: Buffer
}

export interface RecordCodec<Kind extends string> {
  encodeHead: (kind: Kind, length: number, number?: number) => Uint8Array
  decodeHead: (head: Uint8Array) => { kind: Kind | undefined; length: number; number: number }
}

/** Bytes of a head: kind and length of the following bytes, and a number. */
const headBytes = 16

/** Creates the codec; a kind is encoded as its index in the list. */
export const createRecordCodec = <Kind extends string>(
  kinds: readonly Kind[],
): RecordCodec<Kind> => ({
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

export interface RecordOptions<Kind extends string> {
  codec: RecordCodec<Kind>
  /** Limit per record, because the program may be under the control of a malicious file. */
  mostBytes: number
  /** Creates the error for invalid output. */
  unreadable: (why: string) => Error
}

/** Yields the records up to `end`. */
export async function* readRecords<Kind extends string>(
  pieces: AsyncIterator<Buffer>,
  { codec, mostBytes, unreadable }: RecordOptions<Kind>,
): AsyncGenerator<ProgramRecord<Kind>> {
  const read = createPieceReader(pieces)
  for (let head = await read(headBytes); head; head = await read(headBytes)) {
    const { kind, length, number } = codec.decodeHead(head)
    if (kind === 'end') return
    const bytes = length <= mostBytes ? await read(length) : undefined
    if (kind === undefined || !bytes) throw unreadable(`${kind}, ${length} bytes`)
    yield { kind, number, bytes }
  }
  throw unreadable('the answer ends too soon')
}
