/** File to be uploaded from any source. */
export interface FileSource {
  /** Name of the file; for media it can be a path with `/`. */
  name: string
  /** Size in bytes. */
  size: number
  /** Time of the last change in milliseconds since 1970, if known; distinguishes versions of a file. */
  modified?: number
  /** Reads the bytes from `start` up to but without `end`; called again for the same range after a failure. */
  read(start: number, end: number): Promise<Blob | Uint8Array<ArrayBuffer>>
}

/** Files of a browser, or upload sources. */
export type Files = File | FileSource | readonly (File | FileSource)[]

/** Creates a source from bytes or a blob. */
export function fromBytes(name: string, bytes: Uint8Array<ArrayBuffer> | Blob): FileSource {
  const size = bytes instanceof Blob ? bytes.size : bytes.length
  return { name, size, read: async (start, end) => bytes.slice(start, end) }
}

/**
 * Creates a source from a stream of known size. It can be read only once: the upload can resume after a failure, but
 * not in a new process.
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
  let base = 0 // offset of `kept`
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

/** Converts files to a list of sources. */
export function sourcesOf(files: Files): FileSource[] {
  const list = 'name' in files ? [files] : [...files]
  return list.map((one) => (one instanceof File ? sourceOf(one) : one))
}

/** Files of a folder that was selected in a browser have their paths. */
function sourceOf(file: File): FileSource {
  const path: unknown = Reflect.get(file, 'webkitRelativePath')
  const name = typeof path === 'string' && path !== '' ? path : file.name
  const { size, lastModified: modified } = file
  return { name, size, modified, read: async (start, end) => file.slice(start, end) }
}
