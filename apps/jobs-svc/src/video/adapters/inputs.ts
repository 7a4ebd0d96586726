import type { Container } from '../../media/kinds/containers.ts'
import { codecs, mostPixels } from '../decoder.ts'
import type { PacketFacts } from '../engine.ts'

/** Decoders by name, of which a build has some: two libraries decode AV1, and two decoders are not called like their codec. */
const decoders = [...codecs, 'libdav1d', 'libaom-av1', 'flv', 'msmpeg4']

/** Names of FFmpeg's readers as it matches them. */
const readers: Record<Container, string> = {
  mov: 'mov,mp4,m4a,3gp,3g2,mj2',
  matroska: 'matroska,webm',
  avi: 'avi',
  mpegts: 'mpegts',
  mpeg: 'mpeg',
  asf: 'asf',
  flv: 'flv',
  ogg: 'ogg',
}

/** Options of FFmpeg for every file it opens (`reliability.md` 9): local files only, and these containers. */
export const inputOptions = {
  protocol_whitelist: 'file',
  format_whitelist: Object.values(readers).join(','),
}

/** These decoders only. ffprobe opens one for every stream, sound too, and gives up where it may not: it goes without. */
export const decoderOption = { codec_whitelist: decoders.join(',') }

/** No picture larger than the cap, whatever the file goes on to say after its first. */
export const decodingOptions = { max_pixels: String(mostPixels) }

/** Never taken for an address or an option, whatever the name begins with. */
export const addressOf = (path: string) => `file:${path}`

/** As arguments of a program. */
export const optionsOf = (options: Record<string, string>): string[] =>
  Object.entries(options).flatMap(([name, value]) => [`-${name}`, value])

/**
 * Hears what readers say of a file whose end is missing. MP4 and Matroska say it; of AVI, the last packet is marked.
 * `end` is a packet, behind the last, that tells of it.
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
