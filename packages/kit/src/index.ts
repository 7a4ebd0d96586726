export * from './errors.ts'
export { assertPermitted, type Rule, type Standing } from './policy.ts'
export {
  type BytesAnswer,
  type CallContext,
  type Head,
  type Service,
  signedIn,
} from './rpc/context.ts'
