import { readChapters } from './chapters.ts'
import type { VideoDecoder } from './decoder.ts'
import type { Engine } from './engine.ts'
import { frames } from './frames.ts'
import { probe } from './probe.ts'

/** Creates the decoder on the engine of an adapter. */
export const decoderOf = (engine: Engine): VideoDecoder => ({
  about: engine.about,
  probe: (file, signal, options) => probe(engine, file, signal, options),
  chapters: (file, index, signal) => readChapters(engine, file, index, signal),
  frames: (file, index, wanted, as, signal) => frames(engine, { file, index, wanted, as }, signal),
})
