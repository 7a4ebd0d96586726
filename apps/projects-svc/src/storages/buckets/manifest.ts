import { invalid } from '@reticle/kit'
import { z } from 'zod'

/** Manifests: files in a bucket that list its images, one JSON object a line. */

const largestManifest = 64 * 1024 * 1024
const longestLine = 64 * 1024

const entry = z.object({ name: z.string(), extension: z.string() })

/**
 * Yields the keys of the images in a manifest, in file order. Names in a manifest are relative to its folder.
 *
 * @throws DomainError invalid for an invalid manifest, or one larger than 64 MiB
 */
export async function* manifestKeys(
  pieces: AsyncIterable<Uint8Array>,
  manifest: string,
): AsyncGenerator<string> {
  const folder = manifest.slice(0, manifest.lastIndexOf('/') + 1)
  for await (const line of linesOf(pieces, manifest)) {
    const read = entry.safeParse(parsed(line, manifest))
    if (read.success) yield `${folder}${read.data.name}${read.data.extension}`
  }
}

async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
  manifest: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (size > largestManifest || rest.length > longestLine) throw noManifest(manifest)
    yield* lines.filter((line) => line.trim() !== '')
  }
  if (rest.trim() !== '') yield rest
}

function parsed(line: string, manifest: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw noManifest(manifest)
  }
}

const noManifest = (key: string) =>
  invalid({ manifest_path: `"${key}" is no manifest: a JSON object a line, at most 64 MiB.` })
