import { z } from 'zod'

const named = z.object({ cloud_storage_id: z.int() })

/** Whether the file of an export is wanted in a cloud storage, by the parameters of its request. */
export const goesElsewhere = (params: unknown): boolean => named.safeParse(params).success
