import type { Facts, targets } from '@reticle/contracts/rest/facts'
import { importModes } from '@reticle/contracts/rest/requests'
import type { UploadPurpose } from '@reticle/contracts/rest/uploads'
import { type Context, invalid, invalidText } from '@reticle/kit'
import { chooseImporter } from '../formats/lookup.ts'
import type { Authority } from '../requests/access.ts'
import { type RqIdParts, rqIdOf } from '../requests/rq-id.ts'

/** What files are uploaded for: who may, of what object, and under which id the work on them runs. */

export interface Aim {
  purpose: UploadPurpose
  target: (typeof targets)[number]
  id: number
}

interface Purpose {
  /** Of the rules of its object. */
  action: string
  /** What a form calls its files. */
  field: string
  /** @throws DomainError invalid for an object that takes no such files now */
  judge: (facts: Facts) => void
  work: (target: 'task' | 'job', target_id: number) => RqIdParts
}

const purposes: Record<UploadPurpose, Purpose> = {
  data: {
    action: 'upload:data',
    field: 'client_files',
    judge: assertEmpty,
    work: (target, target_id) => ({ action: 'create', target, target_id }),
  },
  annotations: {
    action: 'import',
    field: 'annotation_file',
    judge: ({ size }) => {
      if (size === 0) throw invalidText('This task data has not been initialized yet')
    },
    work: (target, target_id) => ({
      ...{ action: 'import', target, target_id, subresource: 'annotations' },
    }),
  },
}

export const fieldOf = (purpose: UploadPurpose): string => purposes[purpose].field

/** The request that the files of an upload become. */
export const workOf = ({ purpose, target, id }: Aim): RqIdParts =>
  purposes[purpose].work(taskOrJob(target), id)

export const rqIdFor = (aim: Aim): string => rqIdOf(workOf(aim))

/** @throws DomainError not_found, forbidden, invalid for an object of another kind */
export async function permit(tasks: Authority, aim: Aim, context: Context): Promise<Facts> {
  const { purpose, id } = aim
  const target = taskOrJob(aim.target)
  return tasks.authorize({ target, id, action: purposes[purpose].action }, context)
}

export const judge = ({ purpose }: Aim, facts: Facts): void => purposes[purpose].judge(facts)

export function taskOrJob(target: Aim['target']): 'task' | 'job' {
  if (target === 'project') throw invalidText('Files are uploaded to a task or a job')
  return target
}

/** @throws DomainError invalid unless these are the facts of a task that has no media yet */
export function assertEmpty(facts: Facts): void {
  if (facts.target !== 'task') throw invalidText('Media is attached to a task')
  if (facts.size > 0) throw invalidText('Adding more data is not supported')
}

export interface ImportWish {
  format?: string
  import_mode?: string
  location?: string
}

/** @returns the format's own name and the mode, both known */
export function assertImportable(
  { format, import_mode = 'replace' }: Pick<ImportWish, 'format' | 'import_mode'>,
  facts: Facts,
) {
  const importer = chooseImporter(format, facts.dimension)
  const mode = importModes.find((one) => one === import_mode)
  if (!mode) throw invalid({ import_mode: `"${import_mode.slice(0, 100)}" is not a valid choice.` })
  purposes.annotations.judge(facts)
  return { format: importer.name, import_mode: mode }
}

/** @throws DomainError invalid for a file that is announced here and said to be elsewhere */
export function assertSentHere({ location = 'local' }: Pick<ImportWish, 'location'>): void {
  if (location !== 'local')
    throw invalidText(
      `Importing from the location '${location.slice(0, 100)}' is not supported, only from 'local'`,
    )
}
