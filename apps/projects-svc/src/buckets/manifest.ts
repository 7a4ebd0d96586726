import { invalid } from '@reticle/kit'
import { z } from 'zod'

/** Manifests: files in a bucket that list its images, a JSON object a line. */

const largestManifest = 64 * 1024 * 1024
const longestLine = 64 * 1024

const entry = z.object({ name: z.string(), extension: z.string() })

/**
 * Keys of the images that a manifest lists, in its order. They stand relative to the folder of the manifest.
 *
 * @throws DomainError invalid for what is no manifest, or is larger than 64 MiB
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
