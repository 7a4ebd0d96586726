import { z } from 'zod'

const named = z.object({ cloud_storage_id: z.int() })

/** Returns whether the parameters of a request send the file of an export to a cloud storage. */
export const writesToCloudStorage = (params: unknown): boolean => named.safeParse(params).success
