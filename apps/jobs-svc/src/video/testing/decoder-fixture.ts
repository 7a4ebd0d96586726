import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clip, writeClip } from '@reticle/kit/testing/video/clips'
import { readNumber } from '@reticle/kit/testing/video/numbered'
import { afterAll, beforeAll } from 'vitest'
import { programVariables } from '../../programs/environment.ts'
import {
  type DecoderEnvironment,
  decoderLimits,
  type PictureForm,
  type VideoDecoder,
  type VideoFile,
  type VideoIndex,
} from '../decoder.ts'

export type Open = (around: DecoderEnvironment) => Promise<VideoDecoder>

export const never: AbortSignal = new AbortController().signal
export const jpeg: PictureForm = { format: 'jpeg', quality: 70 }
export const png: PictureForm = { format: 'png' }

/**
 * Clips by file name. Together they cover every codec in every container that takes it, and cases in which counting is
 * hard.
 */
export const clips: Record<string, Partial<Clip>> = {
  'B-frames.mp4': { codec: 'h264', options: { bf: '3' } },
  'sound.mov': { codec: 'h264', hasSound: true, fileOptions: { movflags: 'faststart' } },
  'open.mkv': { codec: 'h264', options: { 'x264-params': 'open-gop=1:bframes=3' } },
  'times.mkv': { codec: 'h264', ticks: 1000, timeOf: unevenTime },
  'hevc.mp4': { codec: 'hevc', options: { 'x265-params': x265('open-gop=1') } },
  'hevc.mkv': { codec: 'hevc', options: { 'x265-params': x265('open-gop=0') } },
  'alt-ref.webm': { codec: 'vp9', options: { 'lag-in-frames': '10', 'cpu-used': '8' } },
  'vp9.mp4': { codec: 'vp9', options: { 'cpu-used': '8' } },
  'vp8.webm': { codec: 'vp8', options: { deadline: 'realtime', 'cpu-used': '8' } },
  'av1.mkv': { codec: 'av1', options: { preset: '12' } },
  'av1.mp4': { codec: 'av1', options: { preset: '12' } },
  'mpeg4.avi': { codec: 'mpeg4' },
  'B-frames.avi': { codec: 'mpeg4', options: { bf: '2' } },
  'h264.avi': { codec: 'h264', options: { bf: '3' } },
  'mjpeg.avi': { codec: 'mjpeg' },
  'B-frames.ts': { codec: 'h264', options: { bf: '3' } },
  'camera.m2ts': { codec: 'h264', options: { bf: '2' }, hasSound: true },
  'hevc.ts': { codec: 'hevc', options: { 'x265-params': x265('open-gop=1') } },
  'mpeg2.ts': { codec: 'mpeg2video', options: { bf: '2' } },
  'mpeg2.mpg': { codec: 'mpeg2video', options: { bf: '2' } },
  'mpeg1.mpg': { codec: 'mpeg1video' },
  'disc.vob': { codec: 'mpeg2video', options: { bf: '2' } },
  'wmv2.wmv': { codec: 'wmv2' },
  'wmv1.asf': { codec: 'wmv1' },
  'msmpeg4.avi': { codec: 'msmpeg4v3' },
  'h264.flv': { codec: 'h264', options: { bf: '3' } },
  'flv1.flv': { codec: 'flv1' },
  'theora.ogv': { codec: 'theora' },
}

function x265(more: string): string {
  return `log-level=none:pools=none:frame-threads=1:bframes=3:${more}`
}

/** Returns uneven times in milliseconds, with a pause. */
export function unevenTime(frame: number): number {
  return frame * 40 + (frame % 7) * 3 + (frame > 20 ? 5000 : 0)
}

export const frameCount = 50

/** Fixture of all decoder tests. */
export interface DecoderFixture {
  folder: string
  decoder: VideoDecoder
  /** All started processes, in their order. */
  started: ChildProcess[]
  openWith: (more: Partial<DecoderEnvironment>) => Promise<VideoDecoder>
  fileOf: (name: string) => VideoFile
  make: (name: string, clip: Partial<Clip>) => VideoFile
  /** Reads frames; returns each with the number that its picture shows. */
  numbers: (
    name: string,
    index: VideoIndex,
    requested: Iterable<number>,
    as?: PictureForm,
  ) => Promise<[number, number][]>
  /** Returns the error message for a file of these bytes. */
  readProbeError: (name: string, bytes: Uint8Array | string) => Promise<string>
}

/** Prepares the fixture, which is ready when the first test runs. */
export function prepareDecoderFixture(open: Open): DecoderFixture {
  const started: ChildProcess[] = []
  const openWith = (more: Partial<DecoderEnvironment>) =>
    open({ ...recordingEnvironment(started), ...more })
  const fileOf = (name: string) => ({ path: join(fixture.folder, name), name })
  const fixture: DecoderFixture = {
    folder: '',
    decoder: {
      about: { adapter: 'ffmpeg', version: '' },
      probe: unready,
      chapters: unready,
      frames: unready,
    },
    started,
    openWith,
    fileOf,
    make: (name, clip) => {
      writeClip(fileOf(name).path, clip)
      return fileOf(name)
    },
    numbers: async (name, index, requested, as = jpeg) => {
      const found: [number, number][] = []
      for await (const { frame, bytes } of fixture.decoder.frames(
        fileOf(name),
        index,
        requested,
        as,
        never,
      ))
        found.push([frame, await readNumber(bytes)])
      return found
    },
    readProbeError: async (name, bytes) => {
      await writeFile(fileOf(name).path, bytes)
      return fixture.decoder.probe(fileOf(name), never).then(
        () => 'no error',
        (thrown: Error) => thrown.message,
      )
    },
  }
  beforeAll(async () => {
    fixture.folder = await mkdtemp(join(tmpdir(), 'reticle-video-'))
    fixture.decoder = await openWith({})
    for (const [name, clip] of Object.entries(clips)) writeClip(fileOf(name).path, clip)
  }, 120_000)
  afterAll(() => rm(fixture.folder, { recursive: true, force: true }))
  return fixture
}

function unready(): never {
  throw new Error('the decoder fixture is used before beforeAll')
}

/** Starts programs as usual and records them. */
export function recordingEnvironment(started: ChildProcess[]) {
  const start = (...given: Parameters<NonNullable<DecoderEnvironment['start']>>) => {
    const child = spawn(...given)
    started.push(child)
    return child
  }
  return { limits: decoderLimits, limiter: 'prlimit', env: programVariables(), start }
}

export const hasExited = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

export const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => from + at)

export const pairWithItself = (requested: Iterable<number>) =>
  [...requested].map((frame) => [frame, frame])

export async function readPictures(frames: ReturnType<VideoDecoder['frames']>): Promise<Buffer[]> {
  const found: Buffer[] = []
  for await (const { bytes } of frames) found.push(bytes)
  return found
}
