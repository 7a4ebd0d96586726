import { setTimeout as sleep } from 'node:timers/promises'
import type { PictureForm } from '../decoder.ts'
import type { FrameReader } from './frame-reader.ts'

/** Requested picture: key of the video's index, frame number, and form. */
export interface VideoPictureQuery {
  key: string
  frame: number
  form: PictureForm
}

export interface DecoderPoolOptions {
  /** Opens a decoder at a frame; `release` is called when it has ended. */
  open: (query: VideoPictureQuery) => Promise<{ reader: FrameReader; release: () => void }>
  /** Limit of concurrent decoders. */
  most: number
  /** Idle time in milliseconds after which a decoder is ended. */
  idleMs: number
}

export interface DecoderPool {
  picture: (query: VideoPictureQuery) => Promise<Buffer>
  close: () => Promise<void>
}

interface PooledReader {
  key: string
  format: string
  reader: FrameReader
  timer: NodeJS.Timeout
  end: () => Promise<void>
}

/**
 * Creates the pool of open decoders of a process. A sequential read reuses the decoder that is already at that frame.
 */
export function openDecoderPool({ open, most, idleMs }: DecoderPoolOptions): DecoderPool {
  /** Sorted by use, most recent last. */
  const running = new Set<PooledReader>()
  let turn: Promise<unknown> = Promise.resolve()

  const start = async (query: VideoPictureQuery): Promise<PooledReader> => {
    await makeRoom(running, most)
    const { reader, release } = await open(query)
    const one: PooledReader = {
      key: query.key,
      format: query.form.format,
      reader,
      timer: setTimeout(() => undefined),
      end: async () => {
        running.delete(one)
        clearTimeout(one.timer)
        await reader.end()
        release()
      },
    }
    return one
  }
  const use = (one: PooledReader, frame: number) => {
    running.delete(one)
    running.add(one)
    clearTimeout(one.timer)
    const picture = one.reader.picture(frame)
    const leave = () => {
      if (!one.reader.isIdle() || !running.has(one)) return
      clearTimeout(one.timer)
      one.timer = setTimeout(() => void one.end(), idleMs).unref()
    }
    picture.then(leave, leave)
    return { picture } // wrapped in an object, because an awaited promise would delay the next turn
  }
  /**
   * Assigns decoders one request at a time, so that concurrent reads of neighbours share the decoder that the first one
   * starts.
   */
  const begin = (query: VideoPictureQuery) => {
    const opening = turn.then(async () => {
      const isIt = ({ key, format, reader }: PooledReader) =>
        key === query.key && format === query.form.format && reader.isNear(query.frame)
      return use([...running].find(isIt) ?? (await start(query)), query.frame)
    })
    turn = opening.catch(() => undefined)
    return opening
  }
  return {
    picture: async (query) => (await begin(query)).picture,
    close: async () => {
      await turn
      await Promise.all([...running].map((one) => one.end()))
    },
  }
}

/** Ends the least recently used idle decoder to make room for a new one. */
async function makeRoom(running: ReadonlySet<PooledReader>, most: number): Promise<void> {
  while (running.size >= most) {
    const idle = [...running].find(({ reader }) => reader.isIdle())
    if (idle) await idle.end()
    else await sleep(20)
  }
}
