/// <reference path="./interfaces/tamis-filter-call.d.ts" />
/// <reference path="./interfaces/tamis-filter-document.d.ts" />
/// <reference path="./interfaces/tamis-filter-filter.d.ts" />
/// <reference path="./interfaces/tamis-filter-log.d.ts" />
/// <reference path="./interfaces/tamis-filter-original.d.ts" />
/// <reference path="./interfaces/tamis-filter-panic.d.ts" />
/// <reference path="./interfaces/tamis-filter-result-meta.d.ts" />
/// <reference path="./interfaces/tamis-filter-session.d.ts" />
/// <reference path="./interfaces/tamis-filter-tokens.d.ts" />
/// <reference path="./interfaces/tamis-filter-types.d.ts" />
declare module 'tamis:filter/plugin@0.1.0' {
  export type * as TamisFilterCall010 from 'tamis:filter/call@0.1.0'; // import tamis:filter/call@0.1.0
  export type * as TamisFilterDocument010 from 'tamis:filter/document@0.1.0'; // import tamis:filter/document@0.1.0
  export type * as TamisFilterLog010 from 'tamis:filter/log@0.1.0'; // import tamis:filter/log@0.1.0
  export type * as TamisFilterOriginal010 from 'tamis:filter/original@0.1.0'; // import tamis:filter/original@0.1.0
  export type * as TamisFilterPanic010 from 'tamis:filter/panic@0.1.0'; // import tamis:filter/panic@0.1.0
  export type * as TamisFilterResultMeta010 from 'tamis:filter/result-meta@0.1.0'; // import tamis:filter/result-meta@0.1.0
  export type * as TamisFilterSession010 from 'tamis:filter/session@0.1.0'; // import tamis:filter/session@0.1.0
  export type * as TamisFilterTokens010 from 'tamis:filter/tokens@0.1.0'; // import tamis:filter/tokens@0.1.0
  export type * as TamisFilterTypes010 from 'tamis:filter/types@0.1.0'; // import tamis:filter/types@0.1.0
  export * as filter from 'tamis:filter/filter@0.1.0'; // export tamis:filter/filter@0.1.0
}
