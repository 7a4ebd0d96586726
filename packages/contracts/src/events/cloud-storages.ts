import { z } from 'zod'
import { cloudStorage } from '../rest/cloud-storages.ts'
import { defineEvent } from './define.ts'

const key = (data: { cloudstorage: { id: number } }) => `cloudstorage:${data.cloudstorage.id}`

export const cloudStorageCreated = defineEvent('create:cloudstorage', {
  key,
  data: z.object({ cloudstorage: cloudStorage }),
})
export const cloudStorageUpdated = defineEvent('update:cloudstorage', {
  key,
  data: z.object({ cloudstorage: cloudStorage, before_update: cloudStorage.partial() }),
})
/** Objects that used the storage no longer do, and emit their own events. */
export const cloudStorageDeleted = defineEvent('delete:cloudstorage', {
  key,
  data: z.object({ cloudstorage: cloudStorage }),
})
