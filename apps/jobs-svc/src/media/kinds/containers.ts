/** Video containers that decoders may open. It is a closed list, because each further demuxer adds attack surface. */
export const containers = ['mov', 'matroska', 'avi', 'mpegts', 'mpeg', 'asf', 'flv', 'ogg'] as const
export type VideoContainer = (typeof containers)[number]

/** Names in messages and documents. */
export const readVideos =
  'MP4, MOV, Matroska, WebM, AVI, MPEG-TS (.ts, .mts, .m2ts), MPEG-PS (.mpg, .vob), WMV, FLV and Ogg'

interface Mark {
  at: number
  bytes: string
  /** Further bytes at the start, if the mark alone could be part of a text. */
  begins?: string
  container: VideoContainer
}

const asfHeader = '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c'

const marks: readonly Mark[] = [
  { at: 4, bytes: 'ftyp', begins: '\0', container: 'mov' },
  { at: 4, bytes: 'moov', container: 'mov' },
  { at: 4, bytes: 'mdat', container: 'mov' },
  { at: 4, bytes: 'wide', container: 'mov' },
  { at: 0, bytes: '\x1aE\xdf\xa3', container: 'matroska' },
  { at: 8, bytes: 'AVI ', begins: 'RIFF', container: 'avi' },
  { at: 0, bytes: '\0\0\x01\xba', container: 'mpeg' },
  { at: 0, bytes: asfHeader, container: 'asf' },
  { at: 0, bytes: 'FLV\x01', container: 'flv' },
  { at: 0, bytes: 'OggS\0', container: 'ogg' },
]

/** Bytes from one packet of a transport stream to the next: plain, with time codes (AVCHD), with parity. */
const packetLengths = [188, 192, 204]

/** Bytes of the start of a file that are enough to recognise its container. */
export const containerBytes = 512

/**
 * Returns the container by the first bytes of a file.
 *
 * @param head the first `containerBytes` of the file
 */
export function containerOf(head: Uint8Array): VideoContainer | undefined {
  const begin = head.subarray(0, containerBytes)
  const text = latin1Of(begin)
  const found = marks.find(
    ({ at, bytes, begins = '' }) => text.startsWith(bytes, at) && text.startsWith(begins),
  )
  if (found) return found.container
  return packetLengths.some((bytes) => hasPackets(begin, bytes)) ? 'mpegts' : undefined
}

export const latin1Of = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1')

const packetsLooked = 3

/**
 * Returns whether the file starts with packets of a transport stream (ISO/IEC 13818-1 2.4.3.2), of which the first may
 * be cut off.
 */
function hasPackets(head: Uint8Array, bytes: number): boolean {
  for (let start = 0; start + (packetsLooked - 1) * bytes + 4 <= head.length; start += 1)
    if (isPacketHeader(head, start) && hasFurther(head, start, bytes)) return true
  return false
}

function hasFurther(head: Uint8Array, start: number, bytes: number): boolean {
  for (let packet = 1; packet < packetsLooked; packet += 1)
    if (!isPacketHeader(head, start + packet * bytes)) return false
  return true
}

/**
 * Returns whether a packet starts here. The sync byte is a `G`, which also starts texts, so the flags must be valid for
 * a packet: no error, no reserved scrambling, and a payload.
 */
function isPacketHeader(head: Uint8Array, at: number): boolean {
  const [sync, flags = 0, , control = 0] = head.subarray(at, at + 4)
  const hasError = (flags & 0x80) !== 0
  const scrambling = control >> 6
  return sync === 0x47 && !hasError && scrambling !== 1 && (control & 0x30) !== 0
}

/**
 * Returns whether every picture of a file can be found by its time. Containers for transmission have times that repeat,
 * break or are missing.
 */
export const hasExactTimes = (head: Uint8Array): boolean => {
  const container = containerOf(head)
  return container === undefined || ['mov', 'matroska', 'avi'].includes(container)
}
