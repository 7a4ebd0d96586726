export {
  type BytesAnswer,
  type CallContext,
  type Head,
  type Service,
  signedIn,
} from './call/context.ts'
export * from './call/errors.ts'
export { assertPermitted, type Rule, type Standing } from './call/policy.ts'
