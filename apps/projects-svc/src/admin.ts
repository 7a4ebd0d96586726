import { environment } from '@reticle/kit/config'
import { runServiceOps } from '@reticle/kit/ops/service'
import { schema, sealed } from './index.ts'

/** `node apps/projects-svc/dist/admin.js`: the operator's commands for this service of a cluster. */
const service = { service: 'projects-svc', schema, sealed }
process.exitCode = await runServiceOps(service, environment, process.argv.slice(2))
