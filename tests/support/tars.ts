import { gzipSync } from 'node:zlib'
import { tarEnd, tarHeader, tarPadding } from '@reticle/kit/ops/dump/tar'

/** Builds a tar archive with the system's own tool. */
export function packTar(members: Record<string, Uint8Array>): Buffer {
  const parts = Object.entries(members).flatMap(([name, bytes]) => [
    tarHeader(name, bytes.length),
    bytes,
    tarPadding(bytes.length),
  ])
  return Buffer.concat([...parts, tarEnd])
}

export const tarGz = (members: Record<string, Uint8Array>): Buffer => gzipSync(packTar(members))
