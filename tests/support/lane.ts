import { inject } from 'vitest'

/** Before each file of the project `cluster`: it has the servers that no file beside it has. */
const lane = inject('lanes')[Number(process.env.VITEST_POOL_ID) - 1]
if (!lane)
  throw new Error(
    'More files of the cluster suite run at a time than there are sets of servers: unset VITEST_MAX_WORKERS.',
  )
Object.assign(process.env, lane)
