import { randomUUID } from 'node:crypto'
import type { Facts, targets } from '@reticle/contracts/rest/facts'
import { importModes } from '@reticle/contracts/rest/requests'
import type { UploadPurpose } from '@reticle/contracts/rest/uploads'
import { type CallContext, invalid, invalidText } from '@reticle/kit'
import type { Authority } from '../requests/access.ts'
import { type RqIdParts, rqIdOf } from '../requests/rq-id.ts'
import { chooseImporter } from '../work/format-lookup.ts'

/** Purposes of uploads: required permission, accepted objects, and the id of the resulting request. */

export interface Aim {
  purpose: UploadPurpose
  target: (typeof targets)[number]
  id: number
}

interface Purpose {
  /** Accepted kinds of objects. */
  targets: readonly Target[]
  /** Action in the permission rules of the object. */
  action: string
  /** Field name of the files in a form. */
  field: string
  /** @throws DomainError invalid for an object that does not accept such files now */
  judge: (facts: Facts) => void
  work: (target: Target, target_id: number) => RqIdParts
}

type Target = Aim['target']

const purposes: Record<UploadPurpose, Purpose> = {
  data: {
    targets: ['task', 'job'],
    action: 'upload:data',
    field: 'client_files',
    judge: assertEmpty,
    work: (target, target_id) => ({ action: 'create', target, target_id }),
  },
  annotations: {
    targets: ['task', 'job'],
    action: 'import',
    field: 'annotation_file',
    judge: ({ size }) => {
      if (size === 0) throw invalidText('This task data has not been initialized yet')
    },
    work: (target, target_id) => ({
      action: 'import',
      target,
      target_id,
      subresource: 'annotations',
    }),
  },
  dataset: {
    targets: ['project'],
    action: 'import',
    field: 'dataset_file',
    judge: () => undefined,
    work: (target, target_id) => ({
      action: 'import',
      target,
      target_id,
      subresource: 'dataset',
    }),
  },
  backup: {
    targets: ['project', 'task'],
    action: 'create',
    field: 'backup_file',
    judge: () => undefined,
    work: (target, target_id) => ({
      action: 'import',
      target,
      target_id,
      uuid: randomUUID(),
      subresource: 'backup',
    }),
  },
}

export const fieldOf = (purpose: UploadPurpose): string => purposes[purpose].field

/** Returns the id parts of the request that the files of an upload become. */
export const workOf = (aim: Aim): RqIdParts => purposes[aim.purpose].work(targetOf(aim), aim.id)

export const rqIdFor = (aim: Aim): string => rqIdOf(workOf(aim))

/**
 * Checks the permission for an upload.
 *
 * @throws DomainError not_found, forbidden, invalid for an object of another kind
 */
export async function authorizeUpload(
  tasks: Authority,
  aim: Aim,
  context: CallContext,
): Promise<Facts> {
  const { purpose, id } = aim
  const target = targetOf(aim)
  return tasks.authorize({ target, id, action: purposes[purpose].action }, context)
}

export const assertAccepts = ({ purpose }: Aim, facts: Facts): void =>
  purposes[purpose].judge(facts)

/**
 * Returns the target of an upload.
 *
 * @throws DomainError invalid for an object that does not accept such files
 */
export function targetOf({ purpose, target }: Pick<Aim, 'purpose' | 'target'>): Target {
  const { targets } = purposes[purpose]
  if (!targets.includes(target))
    throw invalidText(`Files are uploaded to a ${targets.join(' or a ')}`)
  return target
}

/**
 * Checks the file name of a dataset.
 *
 * @throws DomainError invalid for a dataset that is not a zip archive by its name
 */
export function assertName({ purpose }: Pick<Aim, 'purpose'>, name: string): void {
  if (purpose !== 'dataset' || /\.zip$/i.test(name)) return
  throw invalid({ [fieldOf(purpose)]: 'Dataset file should be zip archive' })
}

/**
 * Checks that a task is without media.
 *
 * @throws DomainError invalid for a task with media, and for other objects
 */
export function assertEmpty(facts: Facts): void {
  if (facts.target !== 'task') throw invalidText('Media is attached to a task')
  if (facts.size > 0) throw invalidText('Adding more data is not supported')
}

export interface ImportOptions {
  format?: string
  import_mode?: string
  location?: string
}

/**
 * Checks the options of an import.
 *
 * @returns the canonical name of the format, and the mode
 */
export function assertImportable(
  { format, import_mode = 'replace' }: Pick<ImportOptions, 'format' | 'import_mode'>,
  facts: Facts,
) {
  const importer = chooseImporter(format, facts.dimension)
  const isDataset = facts.target === 'project'
  if (isDataset && !importer.importer?.openDataset)
    throw invalidText(`The format '${importer.name}' has no images: import it into a task`)
  const mode = isDataset ? 'replace' : importModes.find((one) => one === import_mode)
  if (!mode) throw invalid({ import_mode: `"${import_mode.slice(0, 100)}" is not a valid choice.` })
  purposes[isDataset ? 'dataset' : 'annotations'].judge(facts)
  return { format: importer.name, import_mode: mode }
}

/**
 * Checks the location of an import whose file is uploaded.
 *
 * @throws DomainError invalid for any other location
 */
export function assertSentHere({ location = 'local' }: Pick<ImportOptions, 'location'>): void {
  if (location !== 'local')
    throw invalidText(
      `Importing from the location '${location.slice(0, 100)}' is not supported, only from 'local'`,
    )
}
