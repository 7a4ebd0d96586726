/** A file to be sent, wherever its bytes are. */
export interface FileSource {
  /** Its name; of media a path as well, with `/` between its parts. */
  name: string
  /** Bytes. */
  size: number
  /** Milliseconds since 1970 of its last change, where that is known: tells one version of a file from the next. */
  modified?: number
  /** Bytes from `start` up to before `end`; asked again for the same ones after a break. */
  read(start: number, end: number): Promise<Blob | Uint8Array<ArrayBuffer>>
}

/** Files as browsers hand them out, or sources of one's own. */
export type Files = File | FileSource | readonly (File | FileSource)[]

/** Bytes in memory, or a blob, under a name. */
export function fromBytes(name: string, bytes: Uint8Array<ArrayBuffer> | Blob): FileSource {
  const size = bytes instanceof Blob ? bytes.size : bytes.length
  return { name, size, read: async (start, end) => bytes.slice(start, end) }
}

/**
 * A stream of known size. It can be read but once: an upload of it goes on after a break, but not in a new process.
 *
 * @throws (when it is read) Error for a stream of another size
 */
export function fromStream(
  name: string,
  size: number,
  stream: AsyncIterable<Uint8Array>,
): FileSource {
  const pieces = stream[Symbol.asyncIterator]()
  let kept = new Uint8Array()
  let base = 0 // where `kept` begins
  async function read(start: number, end: number) {
    if (start < base) throw new Error(`The stream of ${name} cannot be read again from ${start}.`)
    kept = kept.slice(start - base)
    base = start
    while (base + kept.length < end) {
      const { done, value } = await pieces.next()
      if (done) throw new Error(`The stream of ${name} ended before its ${size} bytes had come.`)
      kept = joined(kept, value)
    }
    if (end === size && (base + kept.length > size || !(await pieces.next()).done))
      throw new Error(`The stream of ${name} has more than its ${size} bytes.`)
    return kept.slice(0, end - start)
  }
  return { name, size, read }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** One list of sources of whatever was given. */
export function sourcesOf(files: Files): FileSource[] {
  const list = 'name' in files ? [files] : [...files]
  return list.map((one) => (one instanceof File ? sourceOf(one) : one))
}

/** Of a folder that was chosen in a browser the files bring their paths. */
function sourceOf(file: File): FileSource {
  const path: unknown = Reflect.get(file, 'webkitRelativePath')
  const name = typeof path === 'string' && path !== '' ? path : file.name
  const { size, lastModified: modified } = file
  return { name, size, modified, read: async (start, end) => file.slice(start, end) }
}
