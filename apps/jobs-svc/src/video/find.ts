import { dirname, join } from 'node:path'
import { ConfigError, environment } from '@reticle/kit/settings/config'
import { findProgramEnvironment, onPath } from '../programs/environment.ts'
import { splitLinesOf } from '../programs/pieces.ts'
import { startProgram } from '../programs/program.ts'
import { ffmpegEngine } from './adapters/ffmpeg.ts'
import { type NodeAvOptions, nodeAvEngine, nodeAvVersion } from './adapters/node-av.ts'
import { readChapters } from './chapters.ts'
import { type DecoderEnvironment, decoderLimits, type VideoDecoder } from './decoder.ts'
import type { Engine } from './engine.ts'
import { decoderFailures as failures } from './failures.ts'
import { decodeVideoFrames } from './frames.ts'
import { probeVideo } from './probe.ts'

export interface FindOptions {
  /** Path of the setting `RETICLE_JOBS_FFMPEG_PATH`. */
  ffmpegPath?: string | undefined
  /** `PATH` to search for programs; default: that of the environment. */
  path?: string | undefined
  /** Allows the package node-av when no program is found. */
  mayUseNodeAv?: boolean
}

const longestMs = 20_000

/**
 * Finds the decoder of this installation: the configured program, else `ffmpeg` on the path, else the npm package
 * node-av; ffprobe must be beside ffmpeg. Returns undefined when videos are not supported.
 *
 * @throws ConfigError when the configured program does not run
 */
export async function findDecoder(options: FindOptions): Promise<VideoDecoder | undefined> {
  const { ffmpegPath, path = environment.PATH, mayUseNodeAv = true } = options
  const decoderEnvironment = { limits: decoderLimits, ...(await findProgramEnvironment(path)) }
  if (ffmpegPath !== undefined) return configuredDecoder(ffmpegPath, decoderEnvironment)
  const ffmpeg = await onPath('ffmpeg', path)
  const ffmpegAdapter =
    ffmpeg && (await ffmpegDecoder(ffmpeg, decoderEnvironment).catch(() => undefined))
  if (ffmpegAdapter) return ffmpegAdapter
  return mayUseNodeAv ? nodeAvDecoder(decoderEnvironment).catch(() => undefined) : undefined
}

async function configuredDecoder(
  ffmpegPath: string,
  decoderEnvironment: DecoderEnvironment,
): Promise<VideoDecoder> {
  try {
    return await ffmpegDecoder(ffmpegPath, decoderEnvironment)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new ConfigError([
      `RETICLE_JOBS_FFMPEG_PATH: expected the path of an ffmpeg with ffprobe beside it: ${why}`,
    ])
  }
}

/**
 * Creates the decoder of FFmpeg.
 *
 * @throws Error when one of the two programs does not run
 */
export async function ffmpegDecoder(
  ffmpeg: string,
  decoderEnvironment: DecoderEnvironment,
): Promise<VideoDecoder> {
  const ffprobe = join(dirname(ffmpeg), ffmpeg.endsWith('.exe') ? 'ffprobe.exe' : 'ffprobe')
  const [output] = await Promise.all([
    versionOf(ffmpeg, decoderEnvironment),
    versionOf(ffprobe, decoderEnvironment),
  ])
  const [, version = 'unknown'] = /^ffmpeg version (\S{1,200})/m.exec(output) ?? []
  const [, major = 0, minor = 0] = (
    /^libavcodec {1,20}(\d{1,9})\. {0,20}(\d{1,9})/m.exec(output) ?? []
  ).map(Number)
  const isNew = major > 59 || (major === 59 && minor >= 37)
  const passing = isNew ? '-fps_mode' : '-vsync'
  return decoderOf(ffmpegEngine({ ffmpeg, ffprobe, version, passing, ...decoderEnvironment }))
}

async function versionOf(command: string, decoderEnvironment: DecoderEnvironment): Promise<string> {
  const file = { name: command }
  const signal = AbortSignal.timeout(longestMs)
  const running = startProgram(
    { command, args: ['-version'], file, failures },
    decoderEnvironment,
    signal,
  )
  const lines: string[] = []
  try {
    for await (const batch of splitLinesOf(running.pieces())) lines.push(...batch)
  } finally {
    await running.end()
  }
  return lines.join('\n')
}

/**
 * Creates the decoder of node-av.
 *
 * @throws DomainError when the package is not installed, or does not run on this machine
 */
export async function nodeAvDecoder(
  decoderEnvironment: Omit<NodeAvOptions, 'version'>,
): Promise<VideoDecoder> {
  const version = await nodeAvVersion(decoderEnvironment, AbortSignal.timeout(longestMs))
  return decoderOf(nodeAvEngine({ ...decoderEnvironment, version }))
}

/** Creates the decoder on the engine of an adapter. */
export const decoderOf = (engine: Engine): VideoDecoder => ({
  about: engine.about,
  probe: (file, signal, options) => probeVideo(engine, file, signal, options),
  chapters: (file, index, signal) => readChapters(engine, file, index, signal),
  frames: (file, index, requested, as, signal) =>
    decodeVideoFrames(engine, { file, index, wanted: requested, as }, signal),
})
