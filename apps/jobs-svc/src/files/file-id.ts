import { isUuid } from '../uploads/claim-upload.ts'

/** How a file is called in public: whose it is stands in front (`spec/api-annotations.md` 2.4). */
export const fileIdOf = ({ owner_id, file_id }: { owner_id: number; file_id: string }): string =>
  `${owner_id}_${file_id}`

/** The parts of such an id; nothing for a text that is none. */
export function readFileId(given: string): { owner_id: number; file_id: string } | undefined {
  const [, owner = '', file_id = ''] = /^([1-9]\d{0,9})_([\da-f-]{36})$/.exec(given) ?? []
  return isUuid(file_id) ? { owner_id: Number(owner), file_id } : undefined
}
