/**
 * The tar format (POSIX.1-2001, with pax records for values beyond the old header), written and read as streams. A
 * backup in one file is a tar archive so that standard tools can inspect it. The reader refuses an archive without an
 * end, which libraries such as `tar-stream` accept: a backup that was cut between members must not count as complete.
 */
export interface TarFile {
  /** Path `folder/file` in ASCII. */
  name: string
  /** Size in bytes. */
  size: number
  /** Content; an unread rest is skipped. */
  chunks: AsyncIterable<Uint8Array>
}

const block = 512
const nameBytes = 100
/** Limit of eleven octal digits. */
const sizeLimit = 8 ** 11
const ownerOnly = 0o600

/** Returns the bytes before the content of a member. */
export function tarHeader(name: string, size: number): Buffer {
  const isLong = Buffer.byteLength(name) > nameBytes
  const records = [
    ...(isLong ? [paxRecord('path', name)] : []),
    ...(size >= sizeLimit ? [paxRecord('size', String(size))] : []),
  ]
  const plain = header({
    name: isLong ? name.slice(0, nameBytes) : name,
    size: size >= sizeLimit ? 0 : size,
    type: '0',
  })
  if (records.length === 0) return plain
  const pax = Buffer.from(records.join(''))
  const paxHeader = header({ name: 'pax', size: pax.length, type: 'x' })
  return Buffer.concat([paxHeader, pax, tarPadding(pax.length), plain])
}

/** Returns the padding after the content of a member. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)

/** Bytes after the last member. */
export const tarEnd: Buffer = Buffer.alloc(2 * block)

function header({ name, size, type }: { name: string; size: number; type: '0' | 'x' }): Buffer {
  const bytes = Buffer.alloc(block)
  const octal = (value: number, at: number, digits: number) =>
    bytes.write(value.toString(8).padStart(digits, '0'), at, 'ascii')
  bytes.write(name, 0, nameBytes, 'ascii')
  octal(ownerOnly, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(0, 136, 11)
  bytes.fill(' ', 148, 156)
  bytes.write(type, 156, 'ascii')
  bytes.write('ustar\x0000', 257, 'ascii')
  octal(sumOf(bytes), 148, 6)
  bytes[154] = 0
  return bytes
}

/** Formats `<total length> <key>=<value>\n`, whose length includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (length !== rest.length + String(length).length)
    length = rest.length + String(length).length
  return `${length}${rest}`
}

function sumOf(bytes: Buffer): number {
  let sum = 0
  for (let at = 0; at < block; at++) sum += at >= 148 && at < 156 ? 32 : (bytes[at] ?? 0)
  return sum
}

/**
 * Reads the members of a tar archive.
 * @throws Error if it is not a tar archive or is truncated
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const bytes = byteReader(chunks)
  let pax = new Map<string, string>()
  for (;;) {
    const head = await bytes.exactly(block)
    if (head.every((byte) => byte === 0)) return
    const { name, size, type } = parse(head)
    if (type === 'x') {
      pax = paxRecords(await bytes.exactly(size))
      await bytes.skip(tarPadding(size).length)
      continue
    }
    const real = Number(pax.get('size') ?? size)
    yield { name: pax.get('path') ?? name, size: real, chunks: bytes.upTo(real) }
    await bytes.skip(bytes.left() + tarPadding(real).length)
    pax = new Map()
  }
}

function parse(head: Buffer): { name: string; size: number; type: string } {
  const text = (from: number, to: number) => head.toString('ascii', from, to).replace(/\0.*$/s, '')
  const octal = (from: number, to: number) => Number.parseInt(text(from, to).trim() || '0', 8)
  if (octal(148, 156) !== sumOf(head)) throw new Error('this is no tar file, or it is damaged')
  return { name: text(0, nameBytes), size: octal(124, 136), type: text(156, 157) || '0' }
}

function paxRecords(bytes: Buffer): Map<string, string> {
  const records = bytes.toString().split('\n').slice(0, -1)
  return new Map(
    records.map((record) => {
      const [, key = '', value = ''] = /^\d+ ([^=]*)=(.*)$/.exec(record) ?? []
      return [key, value]
    }),
  )
}

function byteReader(chunks: AsyncIterable<Uint8Array>) {
  const source = chunks[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  let left = 0

  const next = async (most: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const { done, value } = await source.next()
      if (done) throw new Error('the tar file ends too early: it was cut off')
      rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const piece = rest.subarray(0, most)
    rest = rest.subarray(piece.length)
    return piece
  }
  async function* pieces() {
    while (left > 0) {
      const piece = await next(left)
      left -= piece.length
      yield piece
    }
  }
  const exactly = async (count: number) => {
    const taken: Buffer[] = []
    for (let missing = count; missing > 0; ) {
      const piece = await next(missing)
      taken.push(piece)
      missing -= piece.length
    }
    return Buffer.concat(taken)
  }
  return {
    exactly,
    /** Yields the next `count` bytes in pieces. `left()` returns the number of unread ones. */
    upTo: (count: number) => {
      left = count
      return pieces()
    },
    left: () => left,
    skip: async (count: number) => {
      for (let missing = count; missing > 0; ) missing -= (await next(missing)).length
      left = 0
    },
  }
}
