import type { VideoContainer } from '../../media/kinds/containers.ts'
import { codecs, mostPixels } from '../decoder.ts'
import type { PacketFacts } from '../engine.ts'

/**
 * Decoder names, of which a build has some: two libraries decode AV1, and two decoders have other names than their
 * codec.
 */
const decoders = [...codecs, 'libdav1d', 'libaom-av1', 'flv', 'msmpeg4']

/** Names of FFmpeg's demuxers in the form that it matches. */
const readers: Record<VideoContainer, string> = {
  mov: 'mov,mp4,m4a,3gp,3g2,mj2',
  matroska: 'matroska,webm',
  avi: 'avi',
  mpegts: 'mpegts',
  mpeg: 'mpeg',
  asf: 'asf',
  flv: 'flv',
  ogg: 'ogg',
}

/** Options of FFmpeg for every file that it opens: local files only, and only these containers. */
export const inputOptions = {
  protocol_whitelist: 'file',
  format_whitelist: Object.values(readers).join(','),
}

/**
 * Allowed decoders. ffprobe opens a decoder for every stream, also sound, and continues without those that are not
 * allowed.
 */
export const decoderOption = { codec_whitelist: decoders.join(',') }

/** Rejects pictures above the limit anywhere in the file, not only in the first one. */
export const decodingOptions = { max_pixels: String(mostPixels) }

/** Prefixes a path, so that FFmpeg never reads it as a URL or an option. */
export const addressOf = (path: string) => `file:${path}`

/** Converts options to arguments of a program. */
export const optionsOf = (options: Record<string, string>): string[] =>
  Object.entries(options).flatMap(([name, value]) => [`-${name}`, value])

/**
 * Creates a listener for log lines about a missing file end, as the demuxers of MP4 and Matroska write them; in AVI the
 * last packet is flagged instead. `end` returns an additional packet that marks the cut.
 */
export function listenForCut() {
  let isCut = false
  return {
    onLine: (line: string) => {
      isCut ||= /: partial file$|File ended prematurely/.test(line)
    },
    end: (): PacketFacts[] =>
      isCut ? [{ time: Number.NaN, isKey: false, isShown: false, isCut }] : [],
  }
}
