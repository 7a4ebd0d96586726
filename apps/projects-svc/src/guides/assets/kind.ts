import { invalid } from '@reticle/kit/call/errors'

/** File type of an asset. Name, declared type and content have to agree. */

interface Kind {
  media_type: string
  extensions: readonly string[]
  /** Expected bytes by offset. */
  signature: Readonly<Record<number, string>>
}

const kinds: readonly Kind[] = [
  { media_type: 'image/jpeg', extensions: ['jpg', 'jpeg'], signature: { 0: '\xff\xd8\xff' } },
  { media_type: 'image/png', extensions: ['png'], signature: { 0: '\x89PNG\r\n\x1a\n' } },
  { media_type: 'image/webp', extensions: ['webp'], signature: { 0: 'RIFF', 8: 'WEBP' } },
  { media_type: 'image/gif', extensions: ['gif'], signature: { 0: 'GIF8' } },
  { media_type: 'application/pdf', extensions: ['pdf'], signature: { 0: '%PDF-' } },
]
const extensions = kinds.flatMap((kind) => kind.extensions).join(', ')

/** Clients send this when they do not know the type, so it declares nothing (RFC 2046 4.5.1). */
const undeclared = 'application/octet-stream'
const signatureEnd = 16

export interface AssetFileName {
  filename: string
  /** Media type that the client declared. */
  media_type: string
}

/**
 * Returns the media type of a file.
 *
 * @throws DomainError invalid, naming `file`, when its name, declared type and content disagree, or the type is not
 * jpeg, png, webp, gif or pdf
 */
export function kindOf({ filename, media_type }: AssetFileName, bytes: Uint8Array): string {
  const kind = kindNamed(filename)
  const [declared = ''] = media_type.toLowerCase().split(';')
  if (declared.trim() !== kind.media_type && declared.trim() !== undeclared)
    throw invalid({
      file: `The file is named as ${kind.media_type}, but sent as ${declared.trim().slice(0, 100)}.`,
    })
  if (!hasSignature(kind, bytes))
    throw invalid({ file: `The content of the file is not ${kind.media_type}, as its name says.` })
  return kind.media_type
}

function kindNamed(filename: string): Kind {
  const [, extension = ''] = /\.([^.]+)$/.exec(filename.toLowerCase()) ?? []
  const kind = kinds.find((one) => one.extensions.includes(extension))
  if (!kind) throw invalid({ file: `Files may be named *.${extensions.replaceAll(', ', ', *.')}.` })
  return kind
}

function hasSignature({ signature }: Kind, bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, signatureEnd)).toString('latin1')
  return Object.entries(signature).every(([at, expected]) => head.startsWith(expected, Number(at)))
}
