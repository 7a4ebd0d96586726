import { inject } from 'vitest'

/** Runs before each file of the project `cluster`, and selects servers that no concurrently running file uses. */
const lane = inject('lanes')[Number(process.env.VITEST_POOL_ID) - 1]
if (!lane)
  throw new Error(
    'More files of the cluster suite run at a time than there are sets of servers: unset VITEST_MAX_WORKERS.',
  )
Object.assign(process.env, lane)
