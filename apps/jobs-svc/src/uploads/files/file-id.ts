import { isUuid } from '../claim-upload.ts'

/** Returns the public id of a file, which starts with its owner. */
export const fileIdOf = ({ owner_id, file_id }: { owner_id: number; file_id: string }): string =>
  `${owner_id}_${file_id}`

/** Splits a public id; undefined for invalid text. */
export function readFileId(given: string): { owner_id: number; file_id: string } | undefined {
  const [, owner = '', file_id = ''] = /^([1-9]\d{0,9})_([\da-f-]{36})$/.exec(given) ?? []
  return isUuid(file_id) ? { owner_id: Number(owner), file_id } : undefined
}
