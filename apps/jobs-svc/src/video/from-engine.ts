import { readChapters } from './chapters.ts'
import type { VideoDecoder } from './decoder.ts'
import type { Engine } from './engine.ts'
import { decodeVideoFrames } from './frames.ts'
import { probeVideo } from './probe.ts'

/** Creates the decoder on the engine of an adapter. */
export const decoderOf = (engine: Engine): VideoDecoder => ({
  about: engine.about,
  probe: (file, signal, options) => probeVideo(engine, file, signal, options),
  chapters: (file, index, signal) => readChapters(engine, file, index, signal),
  frames: (file, index, requested, as, signal) =>
    decodeVideoFrames(engine, { file, index, wanted: requested, as }, signal),
})
