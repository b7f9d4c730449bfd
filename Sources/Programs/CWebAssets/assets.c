#include "CWebAssets.h"

// Written by Scripts/check-assets --write from the files in Public: the pages become part of the program, which can be
// moved and still serves them.

static const unsigned char bytes_0[] = {
#embed "Prepared/absent.html"
};
static const unsigned char bytes_1[] = {
#embed "Prepared/board-board-changes.js"
};
static const unsigned char gzip_1[] = {
#embed "Prepared/board-board-changes.js.gz"
};
static const unsigned char brotli_1[] = {
#embed "Prepared/board-board-changes.js.br"
};
static const unsigned char bytes_2[] = {
#embed "Prepared/board-diagnostics.js"
};
static const unsigned char gzip_2[] = {
#embed "Prepared/board-diagnostics.js.gz"
};
static const unsigned char brotli_2[] = {
#embed "Prepared/board-diagnostics.js.br"
};
static const unsigned char bytes_3[] = {
#embed "Prepared/board-filter-sheet.js"
};
static const unsigned char gzip_3[] = {
#embed "Prepared/board-filter-sheet.js.gz"
};
static const unsigned char brotli_3[] = {
#embed "Prepared/board-filter-sheet.js.br"
};
static const unsigned char bytes_4[] = {
#embed "Prepared/board-on-demand.js"
};
static const unsigned char gzip_4[] = {
#embed "Prepared/board-on-demand.js.gz"
};
static const unsigned char brotli_4[] = {
#embed "Prepared/board-on-demand.js.br"
};
static const unsigned char bytes_5[] = {
#embed "Prepared/board-search.js"
};
static const unsigned char gzip_5[] = {
#embed "Prepared/board-search.js.gz"
};
static const unsigned char brotli_5[] = {
#embed "Prepared/board-search.js.br"
};
static const unsigned char bytes_6[] = {
#embed "Prepared/board-shell.js"
};
static const unsigned char bytes_7[] = {
#embed "Prepared/board-trip.js"
};
static const unsigned char gzip_7[] = {
#embed "Prepared/board-trip.js.gz"
};
static const unsigned char brotli_7[] = {
#embed "Prepared/board-trip.js.br"
};
static const unsigned char bytes_8[] = {
#embed "Prepared/board.js"
};
static const unsigned char gzip_8[] = {
#embed "Prepared/board.js.gz"
};
static const unsigned char brotli_8[] = {
#embed "Prepared/board.js.br"
};
static const unsigned char bytes_9[] = {
#embed "../../../JavaScript/freshness/freshness.wasm"
};
static const unsigned char gzip_9[] = {
#embed "Prepared/freshness.wasm.gz"
};
static const unsigned char brotli_9[] = {
#embed "Prepared/freshness.wasm.br"
};
static const unsigned char bytes_10[] = {
#embed "Public/icons/icon-maskable.svg"
};
static const unsigned char bytes_11[] = {
#embed "Public/icons/icon.svg"
};
static const unsigned char bytes_12[] = {
#embed "Prepared/index-no-jobs-no-workspaces.html"
};
static const unsigned char gzip_12[] = {
#embed "Prepared/index-no-jobs-no-workspaces.html.gz"
};
static const unsigned char brotli_12[] = {
#embed "Prepared/index-no-jobs-no-workspaces.html.br"
};
static const unsigned char bytes_13[] = {
#embed "Prepared/index-no-jobs.html"
};
static const unsigned char gzip_13[] = {
#embed "Prepared/index-no-jobs.html.gz"
};
static const unsigned char brotli_13[] = {
#embed "Prepared/index-no-jobs.html.br"
};
static const unsigned char bytes_14[] = {
#embed "Prepared/index-no-workspaces.html"
};
static const unsigned char gzip_14[] = {
#embed "Prepared/index-no-workspaces.html.gz"
};
static const unsigned char brotli_14[] = {
#embed "Prepared/index-no-workspaces.html.br"
};
static const unsigned char bytes_15[] = {
#embed "Prepared/index.css"
};
static const unsigned char gzip_15[] = {
#embed "Prepared/index.css.gz"
};
static const unsigned char brotli_15[] = {
#embed "Prepared/index.css.br"
};
static const unsigned char bytes_16[] = {
#embed "Prepared/index.html"
};
static const unsigned char gzip_16[] = {
#embed "Prepared/index.html.gz"
};
static const unsigned char brotli_16[] = {
#embed "Prepared/index.html.br"
};
static const unsigned char bytes_17[] = {
#embed "Prepared/jobs-no-workspaces.html"
};
static const unsigned char gzip_17[] = {
#embed "Prepared/jobs-no-workspaces.html.gz"
};
static const unsigned char brotli_17[] = {
#embed "Prepared/jobs-no-workspaces.html.br"
};
static const unsigned char bytes_18[] = {
#embed "Prepared/jobs.html"
};
static const unsigned char gzip_18[] = {
#embed "Prepared/jobs.html.gz"
};
static const unsigned char brotli_18[] = {
#embed "Prepared/jobs.html.br"
};
static const unsigned char bytes_19[] = {
#embed "Prepared/jobs.js"
};
static const unsigned char gzip_19[] = {
#embed "Prepared/jobs.js.gz"
};
static const unsigned char brotli_19[] = {
#embed "Prepared/jobs.js.br"
};
static const unsigned char bytes_20[] = {
#embed "Public/jobs/jobs.wasm"
};
static const unsigned char gzip_20[] = {
#embed "Prepared/jobs.wasm.gz"
};
static const unsigned char brotli_20[] = {
#embed "Prepared/jobs.wasm.br"
};
static const unsigned char bytes_21[] = {
#embed "Prepared/manifest.webmanifest"
};
static const unsigned char bytes_22[] = {
#embed "Prepared/messages-de-board.js"
};
static const unsigned char gzip_22[] = {
#embed "Prepared/messages-de-board.js.gz"
};
static const unsigned char brotli_22[] = {
#embed "Prepared/messages-de-board.js.br"
};
static const unsigned char bytes_23[] = {
#embed "Prepared/messages-de-jobs.js"
};
static const unsigned char gzip_23[] = {
#embed "Prepared/messages-de-jobs.js.gz"
};
static const unsigned char brotli_23[] = {
#embed "Prepared/messages-de-jobs.js.br"
};
static const unsigned char bytes_24[] = {
#embed "Prepared/messages-de-problems.js"
};
static const unsigned char gzip_24[] = {
#embed "Prepared/messages-de-problems.js.gz"
};
static const unsigned char brotli_24[] = {
#embed "Prepared/messages-de-problems.js.br"
};
static const unsigned char bytes_25[] = {
#embed "Prepared/messages-de-status.js"
};
static const unsigned char gzip_25[] = {
#embed "Prepared/messages-de-status.js.gz"
};
static const unsigned char brotli_25[] = {
#embed "Prepared/messages-de-status.js.br"
};
static const unsigned char bytes_26[] = {
#embed "Prepared/messages-de-worktrees.js"
};
static const unsigned char gzip_26[] = {
#embed "Prepared/messages-de-worktrees.js.gz"
};
static const unsigned char brotli_26[] = {
#embed "Prepared/messages-de-worktrees.js.br"
};
static const unsigned char bytes_27[] = {
#embed "Prepared/messages-en-board.js"
};
static const unsigned char gzip_27[] = {
#embed "Prepared/messages-en-board.js.gz"
};
static const unsigned char brotli_27[] = {
#embed "Prepared/messages-en-board.js.br"
};
static const unsigned char bytes_28[] = {
#embed "Prepared/messages-en-jobs.js"
};
static const unsigned char gzip_28[] = {
#embed "Prepared/messages-en-jobs.js.gz"
};
static const unsigned char brotli_28[] = {
#embed "Prepared/messages-en-jobs.js.br"
};
static const unsigned char bytes_29[] = {
#embed "Prepared/messages-en-problems.js"
};
static const unsigned char gzip_29[] = {
#embed "Prepared/messages-en-problems.js.gz"
};
static const unsigned char brotli_29[] = {
#embed "Prepared/messages-en-problems.js.br"
};
static const unsigned char bytes_30[] = {
#embed "Prepared/messages-en-status.js"
};
static const unsigned char gzip_30[] = {
#embed "Prepared/messages-en-status.js.gz"
};
static const unsigned char brotli_30[] = {
#embed "Prepared/messages-en-status.js.br"
};
static const unsigned char bytes_31[] = {
#embed "Prepared/messages-en-worktrees.js"
};
static const unsigned char gzip_31[] = {
#embed "Prepared/messages-en-worktrees.js.gz"
};
static const unsigned char brotli_31[] = {
#embed "Prepared/messages-en-worktrees.js.br"
};
static const unsigned char bytes_32[] = {
#embed "Prepared/messages-fr-board.js"
};
static const unsigned char gzip_32[] = {
#embed "Prepared/messages-fr-board.js.gz"
};
static const unsigned char brotli_32[] = {
#embed "Prepared/messages-fr-board.js.br"
};
static const unsigned char bytes_33[] = {
#embed "Prepared/messages-fr-jobs.js"
};
static const unsigned char gzip_33[] = {
#embed "Prepared/messages-fr-jobs.js.gz"
};
static const unsigned char brotli_33[] = {
#embed "Prepared/messages-fr-jobs.js.br"
};
static const unsigned char bytes_34[] = {
#embed "Prepared/messages-fr-problems.js"
};
static const unsigned char gzip_34[] = {
#embed "Prepared/messages-fr-problems.js.gz"
};
static const unsigned char brotli_34[] = {
#embed "Prepared/messages-fr-problems.js.br"
};
static const unsigned char bytes_35[] = {
#embed "Prepared/messages-fr-status.js"
};
static const unsigned char gzip_35[] = {
#embed "Prepared/messages-fr-status.js.gz"
};
static const unsigned char brotli_35[] = {
#embed "Prepared/messages-fr-status.js.br"
};
static const unsigned char bytes_36[] = {
#embed "Prepared/messages-fr-worktrees.js"
};
static const unsigned char gzip_36[] = {
#embed "Prepared/messages-fr-worktrees.js.gz"
};
static const unsigned char brotli_36[] = {
#embed "Prepared/messages-fr-worktrees.js.br"
};
static const unsigned char bytes_37[] = {
#embed "Prepared/messages-it-board.js"
};
static const unsigned char gzip_37[] = {
#embed "Prepared/messages-it-board.js.gz"
};
static const unsigned char brotli_37[] = {
#embed "Prepared/messages-it-board.js.br"
};
static const unsigned char bytes_38[] = {
#embed "Prepared/messages-it-jobs.js"
};
static const unsigned char gzip_38[] = {
#embed "Prepared/messages-it-jobs.js.gz"
};
static const unsigned char brotli_38[] = {
#embed "Prepared/messages-it-jobs.js.br"
};
static const unsigned char bytes_39[] = {
#embed "Prepared/messages-it-problems.js"
};
static const unsigned char gzip_39[] = {
#embed "Prepared/messages-it-problems.js.gz"
};
static const unsigned char brotli_39[] = {
#embed "Prepared/messages-it-problems.js.br"
};
static const unsigned char bytes_40[] = {
#embed "Prepared/messages-it-status.js"
};
static const unsigned char gzip_40[] = {
#embed "Prepared/messages-it-status.js.gz"
};
static const unsigned char brotli_40[] = {
#embed "Prepared/messages-it-status.js.br"
};
static const unsigned char bytes_41[] = {
#embed "Prepared/messages-it-worktrees.js"
};
static const unsigned char gzip_41[] = {
#embed "Prepared/messages-it-worktrees.js.gz"
};
static const unsigned char brotli_41[] = {
#embed "Prepared/messages-it-worktrees.js.br"
};
static const unsigned char bytes_42[] = {
#embed "Public/api/openapi-jobs.json"
};
static const unsigned char bytes_43[] = {
#embed "Public/api/openapi-workspaces.json"
};
static const unsigned char bytes_44[] = {
#embed "Public/api/openapi.json"
};
static const unsigned char bytes_45[] = {
#embed "Public/service-worker.js"
};
static const unsigned char bytes_46[] = {
#embed "Prepared/status-no-jobs-no-workspaces.html"
};
static const unsigned char gzip_46[] = {
#embed "Prepared/status-no-jobs-no-workspaces.html.gz"
};
static const unsigned char brotli_46[] = {
#embed "Prepared/status-no-jobs-no-workspaces.html.br"
};
static const unsigned char bytes_47[] = {
#embed "Prepared/status-no-jobs.html"
};
static const unsigned char gzip_47[] = {
#embed "Prepared/status-no-jobs.html.gz"
};
static const unsigned char brotli_47[] = {
#embed "Prepared/status-no-jobs.html.br"
};
static const unsigned char bytes_48[] = {
#embed "Prepared/status-no-workspaces.html"
};
static const unsigned char gzip_48[] = {
#embed "Prepared/status-no-workspaces.html.gz"
};
static const unsigned char brotli_48[] = {
#embed "Prepared/status-no-workspaces.html.br"
};
static const unsigned char bytes_49[] = {
#embed "Prepared/status-page.css"
};
static const unsigned char gzip_49[] = {
#embed "Prepared/status-page.css.gz"
};
static const unsigned char brotli_49[] = {
#embed "Prepared/status-page.css.br"
};
static const unsigned char bytes_50[] = {
#embed "Prepared/status.html"
};
static const unsigned char gzip_50[] = {
#embed "Prepared/status.html.gz"
};
static const unsigned char brotli_50[] = {
#embed "Prepared/status.html.br"
};
static const unsigned char bytes_51[] = {
#embed "Prepared/status.js"
};
static const unsigned char gzip_51[] = {
#embed "Prepared/status.js.gz"
};
static const unsigned char brotli_51[] = {
#embed "Prepared/status.js.br"
};
static const unsigned char bytes_52[] = {
#embed "Prepared/work-pages.css"
};
static const unsigned char gzip_52[] = {
#embed "Prepared/work-pages.css.gz"
};
static const unsigned char brotli_52[] = {
#embed "Prepared/work-pages.css.br"
};
static const unsigned char bytes_53[] = {
#embed "Prepared/workspaces-no-jobs.html"
};
static const unsigned char gzip_53[] = {
#embed "Prepared/workspaces-no-jobs.html.gz"
};
static const unsigned char brotli_53[] = {
#embed "Prepared/workspaces-no-jobs.html.br"
};
static const unsigned char bytes_54[] = {
#embed "Prepared/workspaces.html"
};
static const unsigned char gzip_54[] = {
#embed "Prepared/workspaces.html.gz"
};
static const unsigned char brotli_54[] = {
#embed "Prepared/workspaces.html.br"
};
static const unsigned char bytes_55[] = {
#embed "Prepared/worktrees-diff-sheet.js"
};
static const unsigned char gzip_55[] = {
#embed "Prepared/worktrees-diff-sheet.js.gz"
};
static const unsigned char brotli_55[] = {
#embed "Prepared/worktrees-diff-sheet.js.br"
};
static const unsigned char bytes_56[] = {
#embed "Prepared/worktrees.js"
};
static const unsigned char gzip_56[] = {
#embed "Prepared/worktrees.js.gz"
};
static const unsigned char brotli_56[] = {
#embed "Prepared/worktrees.js.br"
};

static const FreshetWebAsset assets[] = {
  { "absent.html", "74b6ef1b14a5", FreshetWebAssetPage, bytes_0, sizeof(bytes_0), 0, 0, 0, 0 },
  { "board-board-changes.js", "86c10e23e2f8", FreshetWebAssetHashed, bytes_1, sizeof(bytes_1), gzip_1, sizeof(gzip_1), brotli_1, sizeof(brotli_1) },
  { "board-diagnostics.js", "d5c00884de97", FreshetWebAssetHashed, bytes_2, sizeof(bytes_2), gzip_2, sizeof(gzip_2), brotli_2, sizeof(brotli_2) },
  { "board-filter-sheet.js", "9494905855aa", FreshetWebAssetHashed, bytes_3, sizeof(bytes_3), gzip_3, sizeof(gzip_3), brotli_3, sizeof(brotli_3) },
  { "board-on-demand.js", "0d4eae90da38", FreshetWebAssetHashed, bytes_4, sizeof(bytes_4), gzip_4, sizeof(gzip_4), brotli_4, sizeof(brotli_4) },
  { "board-search.js", "73c68e0fe48f", FreshetWebAssetHashed, bytes_5, sizeof(bytes_5), gzip_5, sizeof(gzip_5), brotli_5, sizeof(brotli_5) },
  { "board-shell.js", "09669647149a", FreshetWebAssetHashed, bytes_6, sizeof(bytes_6), 0, 0, 0, 0 },
  { "board-trip.js", "e7d20708601b", FreshetWebAssetHashed, bytes_7, sizeof(bytes_7), gzip_7, sizeof(gzip_7), brotli_7, sizeof(brotli_7) },
  { "board.js", "486f94e2b345", FreshetWebAssetHashed, bytes_8, sizeof(bytes_8), gzip_8, sizeof(gzip_8), brotli_8, sizeof(brotli_8) },
  { "freshness.wasm", "6d0257dfcbc3", FreshetWebAssetHashed, bytes_9, sizeof(bytes_9), gzip_9, sizeof(gzip_9), brotli_9, sizeof(brotli_9) },
  { "icon-maskable.svg", "2f48ed966fef", FreshetWebAssetHashed, bytes_10, sizeof(bytes_10), 0, 0, 0, 0 },
  { "icon.svg", "e5fa32996108", FreshetWebAssetHashed, bytes_11, sizeof(bytes_11), 0, 0, 0, 0 },
  { "index-no-jobs-no-workspaces.html", "0a4f34886f0c", FreshetWebAssetPage, bytes_12, sizeof(bytes_12), gzip_12, sizeof(gzip_12), brotli_12, sizeof(brotli_12) },
  { "index-no-jobs.html", "34b3b85bbace", FreshetWebAssetPage, bytes_13, sizeof(bytes_13), gzip_13, sizeof(gzip_13), brotli_13, sizeof(brotli_13) },
  { "index-no-workspaces.html", "891477d129f3", FreshetWebAssetPage, bytes_14, sizeof(bytes_14), gzip_14, sizeof(gzip_14), brotli_14, sizeof(brotli_14) },
  { "index.css", "b89e4a341698", FreshetWebAssetHashed, bytes_15, sizeof(bytes_15), gzip_15, sizeof(gzip_15), brotli_15, sizeof(brotli_15) },
  { "index.html", "8ead70110c11", FreshetWebAssetPage, bytes_16, sizeof(bytes_16), gzip_16, sizeof(gzip_16), brotli_16, sizeof(brotli_16) },
  { "jobs-no-workspaces.html", "f19425d97386", FreshetWebAssetPage, bytes_17, sizeof(bytes_17), gzip_17, sizeof(gzip_17), brotli_17, sizeof(brotli_17) },
  { "jobs.html", "1bd05ed671d3", FreshetWebAssetPage, bytes_18, sizeof(bytes_18), gzip_18, sizeof(gzip_18), brotli_18, sizeof(brotli_18) },
  { "jobs.js", "e9cea87a5b1d", FreshetWebAssetHashed, bytes_19, sizeof(bytes_19), gzip_19, sizeof(gzip_19), brotli_19, sizeof(brotli_19) },
  { "jobs.wasm", "7b97afdde01c", FreshetWebAssetHashed, bytes_20, sizeof(bytes_20), gzip_20, sizeof(gzip_20), brotli_20, sizeof(brotli_20) },
  { "manifest.webmanifest", "cbac35822843", FreshetWebAssetHashed, bytes_21, sizeof(bytes_21), 0, 0, 0, 0 },
  { "messages-de-board.js", "e18350a4b94e", FreshetWebAssetHashed, bytes_22, sizeof(bytes_22), gzip_22, sizeof(gzip_22), brotli_22, sizeof(brotli_22) },
  { "messages-de-jobs.js", "67eaf4f19ff0", FreshetWebAssetHashed, bytes_23, sizeof(bytes_23), gzip_23, sizeof(gzip_23), brotli_23, sizeof(brotli_23) },
  { "messages-de-problems.js", "912321248405", FreshetWebAssetHashed, bytes_24, sizeof(bytes_24), gzip_24, sizeof(gzip_24), brotli_24, sizeof(brotli_24) },
  { "messages-de-status.js", "efdb1b71bf63", FreshetWebAssetHashed, bytes_25, sizeof(bytes_25), gzip_25, sizeof(gzip_25), brotli_25, sizeof(brotli_25) },
  { "messages-de-worktrees.js", "a2aa7fab8034", FreshetWebAssetHashed, bytes_26, sizeof(bytes_26), gzip_26, sizeof(gzip_26), brotli_26, sizeof(brotli_26) },
  { "messages-en-board.js", "13e80706894c", FreshetWebAssetHashed, bytes_27, sizeof(bytes_27), gzip_27, sizeof(gzip_27), brotli_27, sizeof(brotli_27) },
  { "messages-en-jobs.js", "f4a336fca27d", FreshetWebAssetHashed, bytes_28, sizeof(bytes_28), gzip_28, sizeof(gzip_28), brotli_28, sizeof(brotli_28) },
  { "messages-en-problems.js", "7ced845f394f", FreshetWebAssetHashed, bytes_29, sizeof(bytes_29), gzip_29, sizeof(gzip_29), brotli_29, sizeof(brotli_29) },
  { "messages-en-status.js", "d5b5cc2267a0", FreshetWebAssetHashed, bytes_30, sizeof(bytes_30), gzip_30, sizeof(gzip_30), brotli_30, sizeof(brotli_30) },
  { "messages-en-worktrees.js", "7d716353527c", FreshetWebAssetHashed, bytes_31, sizeof(bytes_31), gzip_31, sizeof(gzip_31), brotli_31, sizeof(brotli_31) },
  { "messages-fr-board.js", "c0f9de569913", FreshetWebAssetHashed, bytes_32, sizeof(bytes_32), gzip_32, sizeof(gzip_32), brotli_32, sizeof(brotli_32) },
  { "messages-fr-jobs.js", "5abe2acb31f0", FreshetWebAssetHashed, bytes_33, sizeof(bytes_33), gzip_33, sizeof(gzip_33), brotli_33, sizeof(brotli_33) },
  { "messages-fr-problems.js", "f9018f50de55", FreshetWebAssetHashed, bytes_34, sizeof(bytes_34), gzip_34, sizeof(gzip_34), brotli_34, sizeof(brotli_34) },
  { "messages-fr-status.js", "cf4cb4aa8aef", FreshetWebAssetHashed, bytes_35, sizeof(bytes_35), gzip_35, sizeof(gzip_35), brotli_35, sizeof(brotli_35) },
  { "messages-fr-worktrees.js", "1a4fe2f3c75f", FreshetWebAssetHashed, bytes_36, sizeof(bytes_36), gzip_36, sizeof(gzip_36), brotli_36, sizeof(brotli_36) },
  { "messages-it-board.js", "5dc4a9255835", FreshetWebAssetHashed, bytes_37, sizeof(bytes_37), gzip_37, sizeof(gzip_37), brotli_37, sizeof(brotli_37) },
  { "messages-it-jobs.js", "84f2e915d47f", FreshetWebAssetHashed, bytes_38, sizeof(bytes_38), gzip_38, sizeof(gzip_38), brotli_38, sizeof(brotli_38) },
  { "messages-it-problems.js", "f2854c18ddeb", FreshetWebAssetHashed, bytes_39, sizeof(bytes_39), gzip_39, sizeof(gzip_39), brotli_39, sizeof(brotli_39) },
  { "messages-it-status.js", "3174c1f34e47", FreshetWebAssetHashed, bytes_40, sizeof(bytes_40), gzip_40, sizeof(gzip_40), brotli_40, sizeof(brotli_40) },
  { "messages-it-worktrees.js", "fcceaa84412d", FreshetWebAssetHashed, bytes_41, sizeof(bytes_41), gzip_41, sizeof(gzip_41), brotli_41, sizeof(brotli_41) },
  { "openapi-jobs.json", "ef051e8512d3", FreshetWebAssetDocument, bytes_42, sizeof(bytes_42), 0, 0, 0, 0 },
  { "openapi-workspaces.json", "af2174778e34", FreshetWebAssetDocument, bytes_43, sizeof(bytes_43), 0, 0, 0, 0 },
  { "openapi.json", "c4af80b60816", FreshetWebAssetDocument, bytes_44, sizeof(bytes_44), 0, 0, 0, 0 },
  { "service-worker.js", "1ac3e218969d", FreshetWebAssetDocument, bytes_45, sizeof(bytes_45), 0, 0, 0, 0 },
  { "status-no-jobs-no-workspaces.html", "0d3bfef98259", FreshetWebAssetPage, bytes_46, sizeof(bytes_46), gzip_46, sizeof(gzip_46), brotli_46, sizeof(brotli_46) },
  { "status-no-jobs.html", "0d04a0e94b58", FreshetWebAssetPage, bytes_47, sizeof(bytes_47), gzip_47, sizeof(gzip_47), brotli_47, sizeof(brotli_47) },
  { "status-no-workspaces.html", "21064167039c", FreshetWebAssetPage, bytes_48, sizeof(bytes_48), gzip_48, sizeof(gzip_48), brotli_48, sizeof(brotli_48) },
  { "status-page.css", "2a71752da106", FreshetWebAssetHashed, bytes_49, sizeof(bytes_49), gzip_49, sizeof(gzip_49), brotli_49, sizeof(brotli_49) },
  { "status.html", "fa1cac9d1784", FreshetWebAssetPage, bytes_50, sizeof(bytes_50), gzip_50, sizeof(gzip_50), brotli_50, sizeof(brotli_50) },
  { "status.js", "251943a24b77", FreshetWebAssetHashed, bytes_51, sizeof(bytes_51), gzip_51, sizeof(gzip_51), brotli_51, sizeof(brotli_51) },
  { "work-pages.css", "511f1d288862", FreshetWebAssetHashed, bytes_52, sizeof(bytes_52), gzip_52, sizeof(gzip_52), brotli_52, sizeof(brotli_52) },
  { "workspaces-no-jobs.html", "ceae235f374e", FreshetWebAssetPage, bytes_53, sizeof(bytes_53), gzip_53, sizeof(gzip_53), brotli_53, sizeof(brotli_53) },
  { "workspaces.html", "00cf195a1035", FreshetWebAssetPage, bytes_54, sizeof(bytes_54), gzip_54, sizeof(gzip_54), brotli_54, sizeof(brotli_54) },
  { "worktrees-diff-sheet.js", "4442f1fee267", FreshetWebAssetHashed, bytes_55, sizeof(bytes_55), gzip_55, sizeof(gzip_55), brotli_55, sizeof(brotli_55) },
  { "worktrees.js", "4e9922019858", FreshetWebAssetHashed, bytes_56, sizeof(bytes_56), gzip_56, sizeof(gzip_56), brotli_56, sizeof(brotli_56) },
};

const FreshetWebAsset *freshet_web_assets(void) { return assets; }

size_t freshet_web_asset_count(void) { return sizeof(assets) / sizeof(assets[0]); }
