import type { storages } from '@reticle/contracts/api/storages'
import type { Facts } from '@reticle/contracts/rest/facts'
import {
  type Context,
  DomainError,
  forbidden,
  invalid,
  notFound,
  type Service,
  signedIn,
} from '@reticle/kit'

/** What is asked about cloud storages before a request is posted. */
export type Storages = Pick<Service<typeof storages>, 'getCloudStorage' | 'findDefaultStorages'>

/** What a caller says of where a file is or goes (`spec/api-annotations.md` 2.1, 2.3). */
export interface Place {
  location?: string | undefined
  cloud_storage_id?: number | undefined
}

export interface Use {
  use: 'source' | 'target'
  /** Whose storages count where a caller says nothing; absent: then the file is here. */
  object?: Pick<Facts, 'target'> & { id: number }
}

/** A cloud storage that the caller may use. */
export interface Usable {
  cloud_storage_id: number
  /** Its keys begin with this. */
  prefix: string
}

/**
 * The cloud storage that a caller means, by its name or as the one of an object; undefined: none, the file is here.
 *
 * @throws DomainError invalid, not_found, or forbidden: for who may not view it, and for a token that may only read
 */
export async function storageFor(
  place: Place,
  { use, object }: Use,
  storages: Storages,
  context: Context,
): Promise<Usable | undefined> {
  const { location } = place
  if (location !== undefined) {
    const cloud_storage_id = named(place)
    return cloud_storage_id === undefined
      ? undefined
      : usable({ cloud_storage_id }, storages, context)
  }
  if (!object) return undefined
  const set = (await storages.findDefaultStorages(object, context))[`${use}_storage`]
  if (set?.location !== 'cloud_storage' || set.cloud_storage_id === null) return undefined
  const { cloud_storage_id } = set
  const which = `the ${use} storage of ${object.target} ${object.id}`
  return usable({ cloud_storage_id, which }, storages, context)
}

function named({ location = 'local', cloud_storage_id }: Place): number | undefined {
  if (location === 'local') return undefined
  if (location !== 'cloud_storage')
    throw invalid({ location: `"${location.slice(0, 100)}" is not a valid choice.` })
  if (cloud_storage_id === undefined)
    throw invalid({ cloud_storage_id: 'cloud_storage_id was not provided' })
  return cloud_storage_id
}

async function usable(
  { cloud_storage_id: id, which }: { cloud_storage_id: number; which?: string },
  storages: Storages,
  context: Context,
): Promise<Usable> {
  if (signedIn(context).token?.read_only) throw forbidden('This access token may only read.')
  try {
    const { specific_attributes } = await storages.getCloudStorage({ id }, context)
    const prefix = new URLSearchParams(specific_attributes).get('prefix') ?? ''
    return { cloud_storage_id: id, prefix }
  } catch (thrown) {
    throw refusal(thrown, `cloud storage ${id}${which === undefined ? '' : `, ${which}`}`)
  }
}

/** Which one it is, in the words of whoever chose it. */
function refusal(thrown: unknown, storage: string): unknown {
  if (!(thrown instanceof DomainError)) return thrown
  if (thrown.kind === 'not_found') return notFound(`There is no ${storage}.`)
  if (thrown.kind !== 'forbidden') return thrown
  return forbidden(`You may not use ${storage}: name another location.`)
}

/** @throws DomainError invalid for a key that names no file, or none that the storage shows */
export function assertKey(key: string, { prefix }: Usable): void {
  const refuse = (text: string) => {
    throw invalid({ filename: text })
  }
  if (/(^|\/)\.\.?(\/|$)/.test(key)) refuse('A key has no segments "." and "..".')
  if (key.endsWith('/')) refuse('A key that ends with "/" names no file.')
  if (!key.startsWith(prefix)) refuse(`The keys of this cloud storage begin with "${prefix}".`)
}
