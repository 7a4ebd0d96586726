import { environment } from '@reticle/kit/settings/config'
import { ffmpegDecoder } from '../find.ts'
import { tryDecoder } from '../testing/contract.ts'

/** The programs are installed by `tools/cluster/src/ffmpeg.ts`, unless the environment names others. */
const { RETICLE_TEST_FFMPEG_PATH: path = 'ffmpeg' } = environment
tryDecoder('ffmpeg', (around) => ffmpegDecoder(path, around))
