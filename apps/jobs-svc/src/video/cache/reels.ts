import { setTimeout as sleep } from 'node:timers/promises'
import type { PictureForm } from '../decoder.ts'
import type { Reel } from './reel.ts'

/** Requested picture: key of the video's index, frame number, and form. */
export interface VideoPictureQuery {
  key: string
  frame: number
  form: PictureForm
}

export interface ReelsOptions {
  /** Opens a decoder at a frame; `release` is called when it has ended. */
  open: (query: VideoPictureQuery) => Promise<{ reel: Reel; release: () => void }>
  /** Limit of concurrent decoders. */
  most: number
  /** Idle time in milliseconds after which a decoder is ended. */
  idleMs: number
}

export interface Reels {
  picture: (query: VideoPictureQuery) => Promise<Buffer>
  close: () => Promise<void>
}

interface OpenReel {
  key: string
  format: string
  reel: Reel
  timer: NodeJS.Timeout
  end: () => Promise<void>
}

/**
 * Creates the pool of open decoders of a process. A sequential read reuses the decoder that is already at that frame.
 */
export function openReels({ open, most, idleMs }: ReelsOptions): Reels {
  /** Sorted by use, most recent last. */
  const running = new Set<OpenReel>()
  let turn: Promise<unknown> = Promise.resolve()

  const start = async (query: VideoPictureQuery): Promise<OpenReel> => {
    await makeRoom(running, most)
    const { reel, release } = await open(query)
    const one: OpenReel = {
      key: query.key,
      format: query.form.format,
      reel,
      timer: setTimeout(() => undefined),
      end: async () => {
        running.delete(one)
        clearTimeout(one.timer)
        await reel.end()
        release()
      },
    }
    return one
  }
  const use = (one: OpenReel, frame: number) => {
    running.delete(one)
    running.add(one)
    clearTimeout(one.timer)
    const picture = one.reel.picture(frame)
    const leave = () => {
      if (!one.reel.isIdle() || !running.has(one)) return
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
      const isIt = ({ key, format, reel }: OpenReel) =>
        key === query.key && format === query.form.format && reel.isNear(query.frame)
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
async function makeRoom(running: ReadonlySet<OpenReel>, most: number): Promise<void> {
  while (running.size >= most) {
    const idle = [...running].find(({ reel }) => reel.isIdle())
    if (idle) await idle.end()
    else await sleep(20)
  }
}
