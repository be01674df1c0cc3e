import type { ConfigCheckDocument, ConfigSchemaDocument, ConfigShowDocument } from './config-json.ts';
import type { ErrorDocument } from './error-json.ts';
import type {
  ManifestsApplyDocument,
  ManifestsDeleteDocument,
  ManifestsDiffDocument,
  ManifestsRenderDocument,
  ManifestsStatusDocument,
} from './manifests-json.ts';
import type {
  BridgeListDocument,
  DoctorDocument,
  FirewallApplyDocument,
  FirewallCheckDocument,
  SupportBundleDocument,
} from './node-json.ts';
import type {
  OverlayApplyDocument,
  OverlayGatewayDocument,
  OverlayInitDocument,
  OverlayJoinDocument,
  OverlayPlanDocument,
  OverlayVerifyDocument,
} from './overlay-json.ts';
import type { OverlayDisableDocument, OverlayLeaveDocument } from './overlay-leave-json.ts';
import type {
  OverlayPkiGrantDocument,
  OverlayPkiInitDocument,
  OverlayPkiIssueDocument,
  OverlayPkiRenewDocument,
  OverlayPkiRequestDocument,
  OverlayPkiRotateDocument,
  OverlayPkiShowDocument,
} from './overlay-pki-json.ts';
import type { OverlayRoutesDocument } from './overlay-routes-json.ts';
import type { OverlayNodesDocument, OverlayStatusDocument } from './overlay-state-json.ts';
import type { OverlayTraceDocument } from './overlay-trace-json.ts';
import type { PlanDocument, VerifyDocument } from './plan-json.ts';
import type {
  ApplyDocument,
  BridgeAddDocument,
  BridgeApplyDocument,
  BridgeRemoveDocument,
  ConfirmDocument,
  DisableDocument,
  OvsTuneDocument,
  RecoverDocument,
  UndoDocument,
} from './run-json.ts';
import type { HistoryDocument, StatusDocument } from './status-json.ts';

/** Document that a command prints with `--output json` if it has not failed. */
export type CommandDocument =
  | ApplyDocument
  | BridgeAddDocument
  | BridgeApplyDocument
  | BridgeListDocument
  | BridgeRemoveDocument
  | ConfigCheckDocument
  | ConfigSchemaDocument
  | ConfigShowDocument
  | ConfirmDocument
  | DisableDocument
  | DoctorDocument
  | FirewallApplyDocument
  | FirewallCheckDocument
  | HistoryDocument
  | ManifestsApplyDocument
  | ManifestsDeleteDocument
  | ManifestsDiffDocument
  | ManifestsRenderDocument
  | ManifestsStatusDocument
  | OverlayApplyDocument
  | OverlayDisableDocument
  | OverlayGatewayDocument
  | OverlayInitDocument
  | OverlayJoinDocument
  | OverlayLeaveDocument
  | OverlayNodesDocument
  | OverlayPkiGrantDocument
  | OverlayPkiInitDocument
  | OverlayPkiIssueDocument
  | OverlayPkiRenewDocument
  | OverlayPkiRequestDocument
  | OverlayPkiRotateDocument
  | OverlayPkiShowDocument
  | OverlayPlanDocument
  | OverlayRoutesDocument
  | OverlayStatusDocument
  | OverlayTraceDocument
  | OverlayVerifyDocument
  | OvsTuneDocument
  | PlanDocument
  | RecoverDocument
  | StatusDocument
  | SupportBundleDocument
  | UndoDocument
  | VerifyDocument;

/** Document on standard output with `--output json`. */
export type JsonDocument = CommandDocument | ErrorDocument;

/**
 * Returns a document for output. If `diagnostics` is not null (`--verbose`), the document also has these facts for
 * support, which may have any shape and are not a part of the contract.
 */
export function printedDocument(document: JsonDocument, diagnostics: object | null): object {
  return diagnostics === null ? document : { ...document, diagnostics };
}
