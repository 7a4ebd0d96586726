import type { AnyJson, ApiClient } from '../../support/client.ts'

/** Downloads the backup of `tasks/7` or `projects/7`. */
export async function backupOf(api: ApiClient, of: string, query = ''): Promise<Buffer> {
  const started = await api.done('POST', `/${of}/backup/export${query}`)
  const { result_url } = await api.finished(started)
  return (await api.bytes(result_url)).bytes
}

export function backupForm(bytes: Uint8Array, field = 'backup_file'): FormData {
  const form = new FormData()
  form.append(field, new Blob([Buffer.from(bytes)]), 'backup.zip')
  return form
}

/** Restores the archive; returns the record of the request after it ended. */
export async function restoreOf(api: ApiClient, bytes: Uint8Array, of: string): Promise<AnyJson> {
  const { rq_id } = await api.done('POST', `/${of}/backup/`, { form: backupForm(bytes) })
  return api.ended(rq_id)
}
