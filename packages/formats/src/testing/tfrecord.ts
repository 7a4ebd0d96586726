/** Builds TFRecord files byte by byte, without the tested code. */
import { readPicture, type TfPicture } from '../formats/tfrecord/picture.ts'
import { readRecords } from '../formats/tfrecord/records.ts'

type Value = string | number | Uint8Array
/** Texts and bytes, or numbers: features named `bbox` are floats, all others whole numbers. */
export type Features = Readonly<Record<string, Value | readonly Value[]>>

/** Builds a record of an example whose features are in the given order. */
export const recordOf = (features: Features, isPacked = true): Buffer =>
  encodeRecord(exampleOf(features, isPacked))

export function exampleOf(features: Features, isPacked = true): Buffer {
  const entries = Object.entries(features).map(([name, given]) => {
    const values = Array.isArray(given) ? given : [given]
    return field(
      1,
      Buffer.concat([field(1, Buffer.from(name)), field(2, listOf(name, values, isPacked))]),
    )
  })
  return field(1, Buffer.concat(entries))
}

export function encodeRecord(data: Uint8Array): Buffer {
  const length = Buffer.alloc(8)
  length.writeUInt32LE(data.length)
  return Buffer.concat([length, checksumOf(length), data, checksumOf(data)])
}

/** Builds a field of bytes. */
export const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2]), encodeVarint(BigInt(bytes.length)), bytes])

/** Reads the images of a file. */
export async function picturesIn(bytes: Uint8Array): Promise<TfPicture[]> {
  const pictures: TfPicture[] = []
  async function* pieces() {
    yield bytes
  }
  for await (const record of readRecords(pieces(), 'a.tfrecord')) pictures.push(readPicture(record))
  return pictures
}

function listOf(name: string, values: readonly Value[], isPacked: boolean): Buffer {
  if (values.every((value) => typeof value !== 'number'))
    return field(1, Buffer.concat(values.map((value) => field(1, Buffer.from(value)))))
  const isFloat = name.includes('bbox')
  const items = values.map((value) =>
    isFloat ? float(Number(value)) : encodeVarint(BigInt(Number(value))),
  )
  const tag = Buffer.from([(1 << 3) | (isFloat ? 5 : 0)])
  const list = isPacked
    ? field(1, Buffer.concat(items))
    : Buffer.concat(items.flatMap((item) => [tag, item]))
  return field(isFloat ? 2 : 3, list)
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

export function encodeVarint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

/** Computes the masked CRC-32C bit by bit. */
function checksumOf(bytes: Uint8Array): Buffer {
  let crc = 0xffffffffn
  for (const byte of bytes) {
    crc ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >> 1n) ^ (crc & 1n ? 0x82f63b78n : 0n)
  }
  crc ^= 0xffffffffn
  const turned = ((crc >> 15n) | (crc << 17n)) & 0xffffffffn
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(Number((turned + 0xa282ead8n) & 0xffffffffn))
  return checksum
}
