import { largestAsset } from '@reticle/contracts/rest/assets'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import { type CallContext, DomainError } from '@reticle/kit'
import type { OperationDeps } from '../operations/operation.ts'
import { ignore } from '../work/report.ts'
import type { BackupArchive } from './read-archive.ts'

/** Guide in an archive, with the assets that it shows. */
export interface ArchivedGuide {
  markdown: string
  /** Names below `assets/` to which the text refers. */
  assets: readonly string[]
  folder: string
}

const longestGuide = 8 * 1024 ** 2

/**
 * Reads a guide.
 *
 * @throws FormatError for assets above the size limit
 */
export async function readGuide(
  { zip }: BackupArchive,
  folder: string,
  report: ReportWriter,
): Promise<ArchivedGuide | undefined> {
  const entry = zip.files.get(`${folder}annotation_guide.md`)
  if (!entry) return undefined
  const markdown = Buffer.from(await zip.bytes(entry, longestGuide)).toString()
  const root = `${folder}assets/`
  const assets: string[] = []
  for (const { name: file, size } of zip.files.values()) {
    if (!file.startsWith(root)) continue
    const name = file.slice(root.length)
    if (!markdown.includes(referenceTo(name))) ignore(report, file, 'the guide does not show it')
    else if (size > largestAsset)
      throw new FormatError(`larger than ${largestAsset} bytes`, { file })
    else assets.push(name)
  }
  return { markdown, assets, folder }
}

const referenceTo = (name: string) => `(assets/${name}`

/** Creates the guide of a project or task and its assets. */
export async function restoreGuide(
  { markdown, assets, folder }: ArchivedGuide,
  owner: { project_id: number } | { task_id: number },
  { zip }: BackupArchive,
  { services: { guides }, blobs, signal }: Pick<OperationDeps, 'services' | 'blobs' | 'signal'>,
  context: CallContext,
): Promise<void> {
  const { id: guide_id } = await guides.createGuide({ body: { ...owner, markdown: '' } }, context)
  let text = markdown
  // Longest first, so that a name that is a prefix of another is not replaced within it.
  const longestFirst = [...assets].sort((one, other) => other.length - one.length)
  for (const filename of longestFirst) {
    const file = `${folder}assets/${filename}`
    const entry = zip.files.get(file)
    if (!entry) continue
    const { upload_id, prefix } = await guides.openAssetUpload({}, context)
    await blobs.put(`${prefix}0`, zip.stream(entry), { signal })
    const body = { upload_id, guide_id, filename, media_type: 'application/octet-stream' }
    const { uuid } = await guides
      .storeAsset({ body }, context)
      .catch((thrown) => namingMember(thrown, file))
    text = text.replaceAll(referenceTo(filename), `(/api/assets/${uuid}`)
  }
  await guides.updateGuide({ id: guide_id, body: { markdown: text } }, context)
}

function namingMember(thrown: unknown, file: string): never {
  const isRefused = thrown instanceof DomainError && thrown.kind === 'invalid'
  throw isRefused ? new FormatError(thrown.message, { file }) : thrown
}
